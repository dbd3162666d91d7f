import { html, type SafeHtml } from '@remix-run/html-template'
import { csrfField } from '../field.ts'
import { consolePage, type Frame } from './frame.ts'

export type ImportForm = {
  kind?: string
  onTaken?: string
  content?: string
  error?: string
}

/** What would become of the rows that were given, or what has. */
export type ImportResult = {
  isDryRun: boolean
  counts: { rows: number; created: number; present: number; taken: number; refused: number }
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

/** Links out as a file, and in from rows that are pasted: first what would happen, then the doing. */
export function importPage(
  frame: Frame,
  {
    form,
    result,
    imports,
  }: { form: ImportForm; result?: ImportResult | undefined; imports: readonly ListedImport[] },
): string {
  return consolePage(frame, {
    title: 'Import and export',
    place: '/console/import',
    body: html`<h1>Import and export</h1>
<section class="panel" aria-labelledby="out">
<h2 id="out">Export</h2>
<p>All of your links. JSONL has everything, their clicks too, and hashes of passwords: keep it safe. CSV is for spreadsheets.</p>
<p><a class="button quiet" href="/console/export?format=jsonl" download>Download JSONL</a> <a class="button quiet" href="/console/export?format=csv" download>Download CSV</a></p>
</section>
${result ? resultPanel(result) : null}
<section class="panel" aria-labelledby="in">
<h2 id="in">Import</h2>
<p class="soft">Paste rows of an export of Bitly, Dub, Rebrandly, Short.io, Shlink or YOURLS, with the line that names the columns, or JSONL of Brevis. Large files and APIs are imported with the command <code>brevis import</code>.</p>
${form.error ? html`<p class="notice" role="alert">${form.error}</p>` : null}
<form method="post" action="/console/import">${csrfField(frame.csrf)}
<p><label for="content">Rows</label>
<textarea id="content" name="content" rows="10" required spellcheck="false">${form.content ?? ''}</textarea></p>
<p><label>Format ${choice('kind', form.kind ?? 'csv', { csv: 'CSV', jsonl: 'JSONL' })}</label></p>
<p><label>Where an alias is taken ${choice('onTaken', form.onTaken ?? 'skip', { skip: 'leave the row out', rename: 'choose another alias', fail: 'stop' })}</label></p>
<p><button class="button" name="go" value="check">Check</button> ${result?.isDryRun ? html`<button class="button" name="go" value="import">Import</button>` : null}</p>
</form>
</section>
${imports.length > 0 ? listPanel(imports) : null}`,
  })
}

function choice(name: string, chosen: string, options: Record<string, string>): SafeHtml {
  const each = ([value, text]: [string, string]) =>
    html`<option value="${value}"${value === chosen ? html` selected` : null}>${text}</option>`
  return html`<select name="${name}">${Object.entries(options).map(each)}</select>`
}

function resultPanel({ isDryRun, counts, problems }: ImportResult): SafeHtml {
  const rows: [string, number][] = [
    [isDryRun ? 'would be made' : 'made', counts.created],
    ['already there', counts.present],
    ['alias taken', counts.taken],
    ['refused', counts.refused],
  ]
  return html`<section class="panel" aria-labelledby="result" role="status">
<h2 id="result">${isDryRun ? 'What would happen' : 'Done'}</h2>
<table><tbody>${rows.map(([text, count]) => html`<tr><th scope="row">${text}</th><td>${count}</td></tr>`)}</tbody></table>
${
  problems.length > 0
    ? html`<table class="cards"><thead><tr><th scope="col">Row</th><th scope="col">Alias</th><th scope="col">Problem</th></tr></thead>
<tbody>${problems.map(({ row, alias, problem }) => html`<tr><td data-label="Row">${row}</td><td data-label="Alias">${alias}</td><td data-label="Problem">${problem}</td></tr>`)}</tbody></table>`
    : null
}
</section>`
}

function listPanel(imports: readonly ListedImport[]): SafeHtml {
  return html`<section class="panel" aria-labelledby="all">
<h2 id="all">Last imports</h2>
<table class="cards"><thead><tr><th scope="col">From</th><th scope="col">State</th><th scope="col">Begun (UTC)</th><th scope="col">Rows</th><th scope="col">Not taken</th></tr></thead>
<tbody>${imports.map(
    ({ id, name, state, started, rows, problems }) => html`<tr>
<th scope="row">${name}</th><td data-label="State">${state}</td><td data-label="Begun">${started}</td><td data-label="Rows">${rows}</td>
<td data-label="Not taken">${problems > 0 ? html`<a href="/console/import/${id}/report" download>${problems}</a>` : '0'}</td></tr>`,
  )}</tbody></table>
</section>`
}
