import { html, type SafeHtml } from '@remix-run/html-template'
import { formatProblem } from '../../../errors.ts'
import { t } from '../../../texts.ts'
import { MAX_NEW_LABELS } from '../../../transfer/import-labels.ts'
import type { RowProblem } from '../../../transfer/progress.ts'
import type { Source } from '../../../transfer/record.ts'
import { formatCount } from '../shell/format-count.ts'

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
  const rows: [string, number][] = [
    [dryRun ? t('import.counts.toCreate') : t('import.counts.created'), all.created],
    [t('import.counts.renamed'), all.renamed],
    [t('import.counts.present'), all.present],
    [t('import.counts.taken'), all.taken],
    [t('import.counts.invalid'), all.refused],
    [dryRun ? t('import.counts.clicksToImport') : t('import.counts.clicksImported'), all.clicks],
  ]
  return html`<table><tbody>${rows.map(
    ([text, count]) =>
      html`<tr><th scope="row">${text}</th><td class="number">${formatCount(count)}</td></tr>`,
  )}</tbody></table>
${renderNoticeList(listNotices(source, unused, all.labelsCut))}`
}

function listNotices(source: Source, unused: readonly string[], labelsCut: number): string[] {
  const names = unused.join(', ')
  const hasColumns = source === 'csv' || source === 'list'
  const ignored = t(hasColumns ? 'import.ignoredColumns' : 'import.ignoredFields', { names })
  const cut = t('import.labelsCut', { n: labelsCut, max: formatCount(MAX_NEW_LABELS) })
  return [...(names ? [ignored] : []), ...(labelsCut > 0 ? [cut] : [])]
}

function renderNoticeList(texts: readonly string[]): SafeHtml | null {
  if (texts.length === 0) return null
  return html`<ul class="notice">${texts.map((text) => html`<li>${text}</li>`)}</ul>`
}

/** Renders the link to the short links of a list. */
export function renderShortenedLink(id: number | undefined): SafeHtml | null {
  if (id === undefined) return null
  return html`<p><a class="button" href="/console/import/${id}/links" download>${t('import.shortened')}</a></p>`
}

/** Renders the skipped and rejected rows with the reasons. */
export function renderProblemTable(problems: readonly RowProblem[]): SafeHtml {
  return html`<table class="cards"><thead><tr><th scope="col">${t('import.problems.row')}</th><th scope="col">${t('import.problems.alias')}</th><th scope="col">${t('import.problems.problem')}</th></tr></thead>
<tbody>${problems.map(({ row, alias, problem }) => html`<tr><td data-label="${t('import.problems.row')}">${formatCount(row)}</td><td data-label="${t('import.problems.alias')}">${alias}</td><td data-label="${t('import.problems.problem')}">${formatProblem(problem)}</td></tr>`)}</tbody></table>`
}
