import { html, type SafeHtml } from '@remix-run/html-template'
import { csrfField } from '../../../pages/field.ts'
import { consolePage, type Frame } from '../shell/layout.ts'
import { noticeList, problemTable } from './problems.ts'

export type ImportForm = {
  kind?: string
  onTaken?: string
  content?: string
  error?: string
  /** Errors of the file upload and of the API import. */
  faults?: { file?: string; api?: string }
}

/** The result of a dry run or an import of rows. */
export type ImportResult = {
  isDryRun: boolean
  counts: { rows: number; created: number; present: number; taken: number; refused: number }
  notices: readonly string[]
  problems: readonly { row: number; alias: string; problem: string }[]
}

export type ListedImport = {
  id: number
  name: string
  state: string
  started: string
  rows: number
  problems: number
}

/**
 * Renders the page to export links and to import rows, which are checked before they are imported.
 */
export function importPage(
  frame: Frame,
  {
    form,
    result,
    imports,
  }: { form: ImportForm; result?: ImportResult | undefined; imports: readonly ListedImport[] },
): string {
  return consolePage(frame, {
    title: 'Import & export',
    section: '/console/import',
    body: html`<h1>Import & export</h1>
<section class="panel" aria-labelledby="out">
<h2 id="out">Export</h2>
<p>JSONL contains everything, including clicks and password hashes. Keep it safe. CSV is for spreadsheets.</p>
<p><a class="button quiet" href="/console/export?format=jsonl" download>Download JSONL</a> <a class="button quiet" href="/console/export?format=csv" download>Download CSV</a></p>
</section>
${result ? resultPanel(result) : null}
${filePanel(frame, form)}
${apiPanel(frame, form)}
<section class="panel" aria-labelledby="in">
<h2 id="in">Paste rows</h2>
<p class="soft">Include the header row, or paste JSONL.</p>
${form.error ? html`<p class="notice" role="alert">${form.error}</p>` : null}
<form method="post" action="/console/import">${csrfField(frame.csrf)}
<p><label for="content">Rows</label>
<textarea id="content" name="content" rows="10" required spellcheck="false">${form.content ?? ''}</textarea></p>
<p><label>Format ${choice('kind', form.kind ?? 'csv', { csv: 'CSV', jsonl: 'JSONL' })}</label></p>
<p><label>If an alias is taken ${choice('onTaken', form.onTaken ?? 'skip', ON_TAKEN)}</label></p>
<p><button class="button" name="go" value="check">Review</button> ${result?.isDryRun ? html`<button class="button" name="go" value="import">Import</button>` : null}</p>
</form>
</section>
${imports.length > 0 ? listPanel(imports) : null}`,
  })
}

const ON_TAKEN = { skip: 'leave the row out', rename: 'choose another alias', fail: 'stop' }

/** Renders the fields that the forms for files and APIs share. */
function commonFields(): SafeHtml {
  return html`<p><label>If an alias is taken ${choice('onTaken', 'skip', ON_TAKEN)}</label></p>
<p><label>Domain for other links <input name="domain" autocomplete="off" placeholder="Default domain"></label></p>`
}

function filePanel(frame: Frame, { faults = {} }: ImportForm): SafeHtml {
  return html`<section class="panel" aria-labelledby="upload">
<h2 id="upload">Import a file</h2>
<p class="soft">Upload a CSV from Bitly, Dub, Rebrandly, Short.io, Shlink, Kutt or YOURLS, or a Brevis JSONL file. You’ll review everything before it’s imported.</p>
${faults.file ? html`<p class="notice" role="alert">${faults.file}</p>` : null}
<form method="post" action="/console/import/file" enctype="multipart/form-data">${csrfField(frame.csrf)}
<p><label>Format ${choice('kind', 'auto', { auto: 'Detect automatically', csv: 'CSV', jsonl: 'JSONL' })}</label></p>
${commonFields()}
<p><label>File <input type="file" name="file" required accept=".csv,.tsv,.txt,.jsonl,.ndjson,text/csv"></label></p>
<p><button class="button">Upload and review</button></p>
</form>
</section>`
}

function apiPanel(frame: Frame, { faults = {} }: ImportForm): SafeHtml {
  return html`<section class="panel" aria-labelledby="api">
<h2 id="api">Import from a service</h2>
<p class="soft">The key is kept, sealed, until the import is over, and a day at the most where it is not gone on with.</p>
${faults.api ? html`<p class="notice" role="alert">${faults.api}</p>` : null}
<form method="post" action="/console/import/api">${csrfField(frame.csrf)}
<p><label>Service ${choice('source', 'bitly', { bitly: 'Bitly', yourls: 'YOURLS', kutt: 'Kutt', shlink: 'Shlink' })}</label></p>
<p><label>URL <input type="url" name="address" required placeholder="https://api-ssl.bitly.com" autocomplete="off"></label></p>
<p><label>Key <input type="password" name="token" required autocomplete="off"></label></p>
${commonFields()}
<p><button class="button">Review</button></p>
</form>
</section>`
}

function choice(name: string, chosen: string, options: Record<string, string>): SafeHtml {
  const each = ([value, text]: [string, string]) =>
    html`<option value="${value}"${value === chosen ? html` selected` : null}>${text}</option>`
  return html`<select name="${name}">${Object.entries(options).map(each)}</select>`
}

function resultPanel({ isDryRun, counts, notices, problems }: ImportResult): SafeHtml {
  const rows: [string, number][] = [
    [isDryRun ? 'Links to create' : 'Links created', counts.created],
    ['Already imported', counts.present],
    ['Alias taken', counts.taken],
    ['Invalid', counts.refused],
  ]
  return html`<section class="panel" aria-labelledby="result" role="status">
<h2 id="result">${isDryRun ? 'Review' : 'Result'}</h2>
<table><tbody>${rows.map(([text, count]) => html`<tr><th scope="row">${text}</th><td>${count}</td></tr>`)}</tbody></table>
${noticeList(notices)}
${problems.length > 0 ? problemTable(problems) : null}
</section>`
}

function listPanel(imports: readonly ListedImport[]): SafeHtml {
  return html`<section class="panel" aria-labelledby="all">
<h2 id="all">Recent imports</h2>
<table class="cards"><thead><tr><th scope="col">From</th><th scope="col">Status</th><th scope="col">Started (UTC)</th><th scope="col">Rows</th><th scope="col">Skipped</th></tr></thead>
<tbody>${imports.map(
    ({ id, name, state, started, rows, problems }) => html`<tr>
<th scope="row"><a href="/console/import/${id}">${name}</a></th><td data-label="Status">${state}</td><td data-label="Started">${started}</td><td data-label="Rows">${rows}</td>
<td data-label="Skipped">${problems > 0 ? html`<a href="/console/import/${id}/report" download>${problems}</a>` : '0'}</td></tr>`,
  )}</tbody></table>
</section>`
}
