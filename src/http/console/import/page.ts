import { html, type SafeHtml } from '@remix-run/html-template'
import { csrfField } from '../../../pages/field.ts'
import { type TextsIn, t, tAll } from '../../../texts.ts'
import type { ImportColumns } from '../../../transfer/import-columns.service.ts'
import type { RowProblem } from '../../../transfer/progress.ts'
import { formatCount } from '../shell/format-count.ts'
import { type Frame, renderConsolePage } from '../shell/layout.ts'
import { renderColumnTable, renderDateChoice } from './columns.ts'
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
  state: TextsIn<'import.states'>
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
    title: t('import.title'),
    section: '/console/import',
    body: html`<h1>${t('import.title')}</h1>
<section class="panel" aria-labelledby="out">
<h2 id="out">${t('import.export.title')}</h2>
<p>${t('import.export.text')}</p>
<p><a class="button quiet" href="/console/export?format=jsonl" download>${t('import.export.jsonl')}</a> <a class="button quiet" href="/console/export?format=csv" download>${t('import.export.csv')}</a></p>
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
  return html`<p><label>${t('import.onTaken')} ${renderChoice('onTaken', selected, tAll('import.onTakenChoices'))}</label></p>`
}

/** Renders the fields that the forms for files and services share. */
function renderCommonFields(): SafeHtml {
  return html`${renderDuplicateChoice()}
<p><label>${t('import.domain')} <input name="domain" autocomplete="off" placeholder="${t('import.defaultDomain')}"></label></p>`
}

function renderFilePanel(frame: Frame, error: string | undefined): SafeHtml {
  return html`<section class="panel" aria-labelledby="upload">
<h2 id="upload">${t('import.file.title')}</h2>
<p class="soft">${t('import.file.text')}</p>
${renderErrorNote(error)}
<form method="post" action="/console/import/file" enctype="multipart/form-data">${csrfField(frame.csrf)}
<p><label>${t('import.format')} ${renderChoice('kind', 'auto', tAll('import.formats'))}</label></p>
${renderCommonFields()}
<p><label>${t('import.file.file')} <input type="file" name="file" required accept=".csv,.tsv,.txt,.jsonl,.ndjson,text/csv"></label></p>
<p><button class="button">${t('import.file.submit')}</button></p>
</form>
</section>`
}

function renderServicePanel(frame: Frame, error: string | undefined): SafeHtml {
  return html`<section class="panel" aria-labelledby="api">
<h2 id="api">${t('import.service.title')}</h2>
<p class="soft">${t('import.service.text')}</p>
${renderErrorNote(error)}
<form method="post" action="/console/import/api">${csrfField(frame.csrf)}
<p><label>${t('import.service.service')} ${renderChoice('source', 'bitly', tAll('import.services'))}</label></p>
<p><label>${t('import.service.url')} <input type="url" name="address" required placeholder="https://api-ssl.bitly.com" autocomplete="off"></label></p>
<p><label>${t('import.service.key')} <input type="password" name="token" required autocomplete="off"></label></p>
${renderCommonFields()}
<p><button class="button">${t('import.review')}</button></p>
</form>
</section>`
}

function renderPastePanel(
  frame: Frame,
  { kind = 'csv', onTaken, content, columns, header, errors }: ImportForm,
  result: ImportResult | undefined,
): SafeHtml {
  const { auto: _, ...formats } = tAll('import.formats')
  return html`<section class="panel" aria-labelledby="in">
<h2 id="in">${t('import.paste.title')}</h2>
<p class="soft">${t('import.paste.text')}</p>
${renderErrorNote(errors?.paste)}
<form method="post" action="/console/import">${csrfField(frame.csrf)}
<p><label for="content">${t('import.paste.rows')}</label>
<textarea id="content" name="content" rows="10" required spellcheck="false">${content ?? ''}</textarea></p>
<p><label>${t('import.format')} ${renderChoice('kind', kind, formats)}</label></p>
${renderDuplicateChoice(onTaken)}
${columns ? html`<h3>${t('importColumns.title')}</h3><p class="soft">${t('importColumns.text')}</p><input type="hidden" name="header" value="${header}">${renderColumnTable(columns)}${renderDateChoice(columns.dates)}` : null}
<p><button class="button" name="go" value="check">${t('import.review')}</button> ${result?.dryRun ? html`<button class="button" name="go" value="import">${t('import.import')}</button>` : null}</p>
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
<h2 id="result">${result.dryRun ? t('import.review') : t('import.result')}</h2>
${renderOutcomeTable(result)}
${result.source === 'list' && !result.dryRun ? renderShortenedLink(result.id) : null}
${result.problems.length > 0 ? renderProblemTable(result.problems) : null}
${result.notices.length > 0 ? html`<h3>${t('import.problems.notices')}</h3>${renderProblemTable(result.notices)}` : null}
</section>`
}

function renderListPanel(imports: readonly ListedImport[]): SafeHtml {
  const renderHead = (text: string) => html`<th scope="col">${text}</th>`
  return html`<section class="panel" aria-labelledby="all">
<h2 id="all">${t('import.recent.title')}</h2>
<table class="cards"><thead><tr>${[t('import.recent.source'), t('import.recent.status'), t('import.recent.started'), t('import.recent.rows'), t('import.recent.skipped')].map(renderHead)}</tr></thead>
<tbody>${imports.map(
    ({ id, name, state, started, rows, problems }) => html`<tr>
<th scope="row"><a href="/console/import/${id}">${name}</a></th><td data-label="${t('import.recent.status')}">${t(`import.states.${state}`)}</td><td data-label="${t('import.recent.started')}">${started}</td><td data-label="${t('import.recent.rows')}">${formatCount(rows)}</td>
<td data-label="${t('import.recent.skipped')}">${problems > 0 ? html`<a href="/console/import/${id}/report" download>${formatCount(problems)}</a>` : '0'}</td></tr>`,
  )}</tbody></table>
</section>`
}
