import { html, type SafeHtml } from '@remix-run/html-template'
import { MAX_NEW_LABELS } from '../../../transfer/import-labels.ts'
import type { RowProblem } from '../../../transfer/progress.ts'
import type { Source } from '../../../transfer/record.ts'
import { translateStoredProblem } from '../../localization/error-text.ts'
import { formatCount } from '../shell/format-count.ts'
import { pluralize } from '../shell/plural.ts'
import { importMessages as messages } from './messages.ts'

/** The outcome of an import, or of its dry run. */
export type Outcome = {
  source: Source
  dryRun: boolean
  counts: {
    created: number
    renamed: number
    present: number
    taken: number
    refused: number
    clicks: number
    labelsCut: number
  }
  /** Ignored columns or fields. */
  unused: readonly string[]
}

/** Renders the number of rows by outcome, and the ignored columns. */
export function renderOutcomeTable({ source, dryRun, counts: all, unused }: Outcome): SafeHtml {
  const { counts } = messages
  const rows: [string, number][] = [
    [dryRun ? counts.toCreate : counts.created, all.created],
    [counts.renamed, all.renamed],
    [counts.present, all.present],
    [counts.taken, all.taken],
    [counts.invalid, all.refused],
    [dryRun ? counts.clicksToImport : counts.clicksImported, all.clicks],
  ]
  return html`<table><tbody>${rows.map(
    ([text, count]) =>
      html`<tr><th scope="row">${text}</th><td class="number">${formatCount(count)}</td></tr>`,
  )}</tbody></table>
${renderNoticeList(listNotices(source, unused, all.labelsCut))}`
}

function listNotices(source: Source, unused: readonly string[], labelsCut: number): string[] {
  const names = unused.join(', ')
  const ignored =
    source === 'csv' || source === 'list' ? messages.ignoredColumns : messages.ignoredFields
  const cut = pluralize(labelsCut, messages.labelsCut).replace('{max}', formatCount(MAX_NEW_LABELS))
  return [...(names ? [ignored(names)] : []), ...(labelsCut > 0 ? [cut] : [])]
}

function renderNoticeList(texts: readonly string[]): SafeHtml | null {
  if (texts.length === 0) return null
  return html`<ul class="notice">${texts.map((text) => html`<li>${text}</li>`)}</ul>`
}

/** Renders the link to the short links of a list. */
export function renderShortenedLink(id: number | undefined): SafeHtml | null {
  if (id === undefined) return null
  return html`<p><a class="button" href="/console/import/${id}/links" download>${messages.shortened}</a></p>`
}

/** Renders the skipped and rejected rows with the reasons. */
export function renderProblemTable(problems: readonly RowProblem[]): SafeHtml {
  const { problems: heads } = messages
  return html`<table class="cards"><thead><tr><th scope="col">${heads.row}</th><th scope="col">${heads.alias}</th><th scope="col">${heads.problem}</th></tr></thead>
<tbody>${problems.map(({ row, alias, problem }) => html`<tr><td data-label="${heads.row}">${formatCount(row)}</td><td data-label="${heads.alias}">${alias}</td><td data-label="${heads.problem}">${translateStoredProblem(problem)}</td></tr>`)}</tbody></table>`
}
