import { html, type SafeHtml } from '@remix-run/html-template'
import { csrfField } from '../../../pages/field.ts'
import type { ImportColumns } from '../../../transfer/import-columns.service.ts'
import type { RowProblem } from '../../../transfer/progress.ts'
import { formatCount } from '../shell/format-count.ts'
import { type Frame, renderConsolePage } from '../shell/layout.ts'
import { columnMessages } from './column-messages.ts'
import { renderColumnTable, renderDateChoice } from './columns.ts'
import { importMessages as messages } from './messages.ts'
import {
  type Outcome,
  renderOutcomeTable,
  renderProblemTable,
  renderShortenedLink,
} from './outcome.ts'

/** The values of the form for pasted rows, and the errors of all forms. */
export type ImportForm = {
  kind?: string
  onTaken?: string
  content?: string
  /** The columns of pasted CSV, and their names as one text. */
  columns?: ImportColumns | undefined
  header?: string
  errors?: { file?: string; api?: string; paste?: string }
}

/** The result of a dry run or an import of pasted rows. */
export type ImportResult = Outcome & {
  id: number | undefined
  problems: readonly RowProblem[]
  /** Values that links lose. */
  notices: readonly RowProblem[]
}

export type ListedImport = {
  id: number
  name: string
  state: keyof typeof messages.states
  started: string
  rows: number
  problems: number
}

type ImportPage = {
  form: ImportForm
  result?: ImportResult | undefined
  imports: readonly ListedImport[]
}

/**
 * Renders the page to export links and to import rows, which are checked before they are imported.
 */
export function renderImportPage(frame: Frame, { form, result, imports }: ImportPage): string {
  return renderConsolePage(frame, {
    title: messages.title,
    files: form.columns ? ['columns.css'] : [],
    section: '/console/import',
    body: html`<h1>${messages.title}</h1>
<section class="panel" aria-labelledby="out">
<h2 id="out">${messages.export.title}</h2>
<p>${messages.export.text}</p>
<p><a class="button quiet" href="/console/export?format=jsonl" download>${messages.export.jsonl}</a> <a class="button quiet" href="/console/export?format=csv" download>${messages.export.csv}</a></p>
</section>
${result ? renderResultPanel(result) : null}
${renderFilePanel(frame, form.errors?.file)}
${renderServicePanel(frame, form.errors?.api)}
${renderPastePanel(frame, form, result)}
${imports.length > 0 ? renderListPanel(imports) : null}`,
  })
}

function renderErrorNote(error: string | undefined): SafeHtml | null {
  return error ? html`<p class="notice" role="alert">${error}</p>` : null
}

function renderDuplicateChoice(selected = 'skip'): SafeHtml {
  return html`<p><label>${messages.onTaken} ${renderChoice('onTaken', selected, messages.onTakenChoices)}</label></p>`
}

/** Renders the fields that the forms for files and services share. */
function renderCommonFields(): SafeHtml {
  return html`${renderDuplicateChoice()}
<p><label>${messages.domain} <input name="domain" autocomplete="off" placeholder="${messages.defaultDomain}"></label></p>`
}

function renderFilePanel(frame: Frame, error: string | undefined): SafeHtml {
  const { file } = messages
  return html`<section class="panel" aria-labelledby="upload">
<h2 id="upload">${file.title}</h2>
<p class="soft">${file.text}</p>
${renderErrorNote(error)}
<form method="post" action="/console/import/file" enctype="multipart/form-data">${csrfField(frame.csrf)}
<p><label>${messages.format} ${renderChoice('kind', 'auto', messages.formats)}</label></p>
${renderCommonFields()}
<p><label>${file.file} <input type="file" name="file" required accept=".csv,.tsv,.txt,.jsonl,.ndjson,text/csv"></label></p>
<p><button class="button">${file.submit}</button></p>
</form>
</section>`
}

function renderServicePanel(frame: Frame, error: string | undefined): SafeHtml {
  const { service } = messages
  return html`<section class="panel" aria-labelledby="api">
<h2 id="api">${service.title}</h2>
<p class="soft">${service.text}</p>
${renderErrorNote(error)}
<form method="post" action="/console/import/api">${csrfField(frame.csrf)}
<p><label>${service.service} ${renderChoice('source', 'bitly', messages.services)}</label></p>
<p><label>${service.url} <input type="url" name="address" required placeholder="https://api-ssl.bitly.com" autocomplete="off"></label></p>
<p><label>${service.key} <input type="password" name="token" required autocomplete="off"></label></p>
${renderCommonFields()}
<p><button class="button">${messages.review}</button></p>
</form>
</section>`
}

function renderPastePanel(
  frame: Frame,
  { kind = 'csv', onTaken, content, columns, header, errors }: ImportForm,
  result: ImportResult | undefined,
): SafeHtml {
  const { auto: _, ...formats } = messages.formats
  return html`<section class="panel" aria-labelledby="in">
<h2 id="in">${messages.paste.title}</h2>
<p class="soft">${messages.paste.text}</p>
${renderErrorNote(errors?.paste)}
<form method="post" action="/console/import">${csrfField(frame.csrf)}
<p><label for="content">${messages.paste.rows}</label>
<textarea id="content" name="content" rows="10" required spellcheck="false">${content ?? ''}</textarea></p>
<p><label>${messages.format} ${renderChoice('kind', kind, formats)}</label></p>
${renderDuplicateChoice(onTaken)}
${columns ? html`<h3>${columnMessages.title}</h3><p class="soft">${columnMessages.text}</p><input type="hidden" name="header" value="${header}">${renderColumnTable(columns)}${renderDateChoice(columns.dates)}` : null}
<p><button class="button" name="go" value="check">${messages.review}</button> ${result?.dryRun ? html`<button class="button" name="go" value="import">${messages.import}</button>` : null}</p>
</form>
</section>`
}

function renderChoice(name: string, selected: string, options: Readonly<Record<string, string>>) {
  const renderOption = ([value, text]: [string, string]) =>
    html`<option value="${value}"${value === selected ? html` selected` : null}>${text}</option>`
  return html`<select name="${name}">${Object.entries(options).map(renderOption)}</select>`
}

function renderResultPanel(result: ImportResult): SafeHtml {
  return html`<section class="panel" aria-labelledby="result" role="status">
<h2 id="result">${result.dryRun ? messages.review : messages.result}</h2>
${renderOutcomeTable(result)}
${result.source === 'list' && !result.dryRun ? renderShortenedLink(result.id) : null}
${result.problems.length > 0 ? renderProblemTable(result.problems) : null}
${result.notices.length > 0 ? html`<h3>${messages.problems.notices}</h3>${renderProblemTable(result.notices)}` : null}
</section>`
}

function renderListPanel(imports: readonly ListedImport[]): SafeHtml {
  const { recent } = messages
  const renderHead = (text: string) => html`<th scope="col">${text}</th>`
  return html`<section class="panel" aria-labelledby="all">
<h2 id="all">${recent.title}</h2>
<table class="cards"><thead><tr>${[recent.source, recent.status, recent.started, recent.rows, recent.skipped].map(renderHead)}</tr></thead>
<tbody>${imports.map(
    ({ id, name, state, started, rows, problems }) => html`<tr>
<th scope="row"><a href="/console/import/${id}">${name}</a></th><td data-label="${recent.status}">${messages.states[state]}</td><td data-label="${recent.started}">${started}</td><td data-label="${recent.rows}">${formatCount(rows)}</td>
<td data-label="${recent.skipped}">${problems > 0 ? html`<a href="/console/import/${id}/report" download>${formatCount(problems)}</a>` : '0'}</td></tr>`,
  )}</tbody></table>
</section>`
}
