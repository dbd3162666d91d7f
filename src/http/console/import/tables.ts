import { html, type SafeHtml } from '@remix-run/html-template'
import { formatProblem } from '../../../errors.ts'
import { t, tAll } from '../../../texts.ts'
import { MAX_NEW_LABELS } from '../../../transfer/import-batch.ts'
import type { ImportColumns } from '../../../transfer/import-columns.service.ts'
import type { RowProblem } from '../../../transfer/progress.ts'
import {
  type Mapping,
  type MappingProblem,
  toColumnField,
} from '../../../transfer/read/csv-columns.ts'
import { DATE_ORDERS, type DateOrder } from '../../../transfer/read/moment.ts'
import type { Source } from '../../../transfer/record.ts'
import { type Control, listChoices, renderControl } from '../kit/fields.ts'
import { renderNumbers, renderTable } from '../kit/table.ts'
import { formatCount } from '../shell/format.ts'

/** The maximum number of columns that can be changed. Files with more columns are no link exports. */
const MAX_COLUMNS = 200

/** The outcome of an import, or of its dry run. */
type Outcome = {
  source: Source
  dryRun: boolean
  counts: Readonly<Record<string, number>>
  /** Ignored columns or fields. */
  unused: readonly string[]
}

/** Renders a control inside its label. */
export function renderLabeled(label: string, control: Control): SafeHtml {
  return html`<p><label>${label} ${renderControl(control)}</label></p>`
}

/** Renders the selection of what happens to rows whose alias is taken, in the form with this name. */
export function renderTakenChoice(form: string, value = 'skip'): SafeHtml {
  const choices = listChoices(tAll('import.onTakenChoices'))
  const id = `${form}-onTaken`
  return renderLabeled(t('import.onTaken'), { type: 'select', name: 'onTaken', id, value, choices })
}

/** Renders the columns of a CSV file with a sample, a selection of their field, and of date order. */
export function renderColumns({ columns, mapping, dates }: ImportColumns): SafeHtml {
  const fields = [
    { value: '', label: t('importColumns.ignore') },
    ...listChoices(tAll('importColumns.fields')),
  ]
  const rows = columns.slice(0, MAX_COLUMNS).map(({ name, sample }, index) => ({
    name: name || t('importColumns.unnamed', { position: String(index + 1) }),
    sample,
    index,
  }))
  const table = renderTable(
    rows,
    [
      { head: t('importColumns.column'), cell: ({ name }) => name },
      {
        head: t('importColumns.sample'),
        className: 'sample',
        cell: ({ sample }) => sample || html`<span class="soft">${t('importColumns.empty')}</span>`,
      },
      {
        head: t('importColumns.field'),
        cell: ({ name, index }) =>
          renderControl({
            type: 'select',
            name: `column${index}`,
            ariaLabel: t('importColumns.fieldOf', { column: name }),
            value: mapping[index] ?? '',
            choices: fields,
          }),
      },
    ],
    { className: 'cards file-columns' },
  )
  const choices = listChoices(tAll('importColumns.dateOrders'))
  const order: Control = { type: 'select', name: 'dates', value: dates, choices }
  return html`${table}
${renderLabeled(t('importColumns.dates'), order)}`
}

/** Returns the field that the form selects for each column, by position. */
export function readColumns(body: unknown): ReadonlyMap<number, Mapping[number]> {
  const entries = Object.entries((body ?? {}) as Record<string, unknown>)
  return new Map(
    entries.flatMap(([name, value]) => {
      const [, position] = /^column(\d{1,4})$/.exec(name) ?? []
      return position === undefined ? [] : [[Number(position), toColumnField(value)] as const]
    }),
  )
}

/** Returns the selected order of day and month, or an empty text for none. */
export function readDateOrder(body: unknown): DateOrder | '' {
  const { dates } = (body ?? {}) as { dates?: unknown }
  return DATE_ORDERS.find((order) => order === dates) ?? ''
}

/** Returns the message for a mapping that cannot be imported. */
export function describeColumnError(problem: MappingProblem): string {
  return problem.kind === 'repeated'
    ? t('importColumns.repeated', { field: t(`importColumns.fields.${problem.field}`) })
    : t(`importColumns.missing.${problem.field}`)
}

/** Renders the number of rows by outcome, and the ignored columns. */
export function renderOutcome({ source, dryRun, counts, unused }: Outcome): SafeHtml {
  const numbers = [
    [dryRun ? 'toCreate' : 'created', counts.created],
    ['renamed', counts.renamed],
    ['present', counts.present],
    ['taken', counts.taken],
    ['invalid', counts.refused],
    [dryRun ? 'clicksToImport' : 'clicksImported', counts.clicks],
  ] as const
  const notices = listNotices(source, unused, counts.labelsCut ?? 0)
  return html`${renderNumbers(numbers.map(([key, n = 0]) => [t(`import.counts.${key}`), formatCount(n)]))}
${notices.length > 0 ? html`<ul class="notice">${notices.map((text) => html`<li>${text}</li>`)}</ul>` : null}`
}

function listNotices(source: Source, unused: readonly string[], labelsCut: number): string[] {
  const names = unused.join(', ')
  const hasColumns = source === 'csv' || source === 'list'
  const ignored = t(hasColumns ? 'import.ignoredColumns' : 'import.ignoredFields', { names })
  const cut = t('import.labelsCut', { n: labelsCut, max: formatCount(MAX_NEW_LABELS) })
  return [...(names ? [ignored] : []), ...(labelsCut > 0 ? [cut] : [])]
}

/** Renders the link to the short links of a list. */
export function renderShortenedLink(id: number): SafeHtml {
  return html`<p><a class="button" href="/console/import/${id}/links" download>${t('import.shortened')}</a></p>`
}

/** Renders the skipped and rejected rows with the reasons. */
export function renderProblems(problems: readonly RowProblem[]): SafeHtml {
  return renderTable(
    problems,
    [
      { head: t('import.problems.row'), cell: ({ row }) => formatCount(row) },
      { head: t('import.problems.alias'), cell: ({ alias }) => alias },
      { head: t('import.problems.problem'), cell: ({ problem }) => formatProblem(problem) },
    ],
    { hasRowHeaders: false },
  )
}
