import { html, type SafeHtml } from '@remix-run/html-template'
import { csrfField } from '../../../pages/field.ts'
import { t, tAll } from '../../../texts.ts'
import type { ImportColumns } from '../../../transfer/import-columns.service.ts'
import {
  type ColumnField,
  type Mapping,
  type MappingProblem,
  toColumnField,
} from '../../../transfer/read/csv-columns.ts'
import { DATE_ORDERS, type DateOrder } from '../../../transfer/read/numeric-date.ts'
import type { Frame } from '../shell/layout.ts'

/** The maximum number of columns that can be changed. Files with more columns are no link exports. */
const MAX_COLUMNS = 200

/** Renders the form that changes the columns of an uploaded file. */
export function renderColumnsPanel(
  frame: Frame,
  id: number,
  columns: ImportColumns,
  mappingProblem?: MappingProblem,
): SafeHtml {
  return html`<section class="panel" aria-labelledby="columns">
<h2 id="columns">${t('importColumns.title')}</h2>
<p class="soft">${t('importColumns.text')}</p>
${mappingProblem ? html`<p class="notice" role="alert">${describeColumnError(mappingProblem)}</p>` : null}
<form method="post" action="/console/import/${id}/columns">${csrfField(frame.csrf)}
${renderColumnTable(columns)}
${renderDateChoice(columns.dates)}
<p><button class="button quiet">${t('importColumns.apply')}</button></p>
</form>
</section>`
}

/** Renders the columns with a sample and the field of each. */
export function renderColumnTable({ columns, mapping }: ImportColumns): SafeHtml {
  return html`<table class="cards file-columns"><thead><tr><th scope="col">${t('importColumns.column')}</th><th scope="col">${t('importColumns.sample')}</th><th scope="col">${t('importColumns.field')}</th></tr></thead>
<tbody>${columns.slice(0, MAX_COLUMNS).map(({ name, sample }, index) => {
    const label = name || t('importColumns.unnamed', { position: String(index + 1) })
    return html`<tr><th scope="row" data-label="${t('importColumns.column')}">${label}</th><td class="sample" data-label="${t('importColumns.sample')}">${sample || html`<span class="soft">${t('importColumns.empty')}</span>`}</td><td data-label="${t('importColumns.field')}">${renderFieldSelect(index, label, mapping[index])}</td></tr>`
  })}</tbody></table>`
}

/** Renders the choice of the order of day and month. */
export function renderDateChoice(selected: string): SafeHtml {
  const renderOption = ([value, text]: [string, string]) =>
    html`<option value="${value}"${value === selected ? html` selected` : null}>${text}</option>`
  return html`<p><label>${t('importColumns.dates')} <select name="dates">${Object.entries(tAll('importColumns.dateOrders')).map(renderOption)}</select></label></p>`
}

function renderFieldSelect(
  index: number,
  name: string,
  selected: ColumnField | undefined,
): SafeHtml {
  const fields = Object.entries(tAll('importColumns.fields'))
  const renderOption = (value: string, text: string) =>
    html`<option value="${value}"${value === (selected ?? '') ? html` selected` : null}>${text}</option>`
  return html`<select name="column${index}" aria-label="${t('importColumns.fieldOf', { column: name })}">${renderOption('', t('importColumns.ignore'))}${fields.map(([value, text]) => renderOption(value, text))}</select>`
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
export function describeColumnError(mappingProblem: MappingProblem): string {
  return mappingProblem.kind === 'repeated'
    ? t('importColumns.repeated', { field: t(`importColumns.fields.${mappingProblem.field}`) })
    : t(`importColumns.missing.${mappingProblem.field}`)
}
