import { html, type SafeHtml } from '@remix-run/html-template'
import { csrfField } from '../../../pages/field.ts'
import type { ImportColumns } from '../../../transfer/import-columns.service.ts'
import {
  type ColumnField,
  type Mapping,
  type MappingProblem,
  toColumnField,
} from '../../../transfer/read/csv-columns.ts'
import { DATE_ORDERS, type DateOrder } from '../../../transfer/read/numeric-date.ts'
import type { Frame } from '../shell/layout.ts'
import { columnMessages as messages } from './column-messages.ts'

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
<h2 id="columns">${messages.title}</h2>
<p class="soft">${messages.text}</p>
${mappingProblem ? html`<p class="notice" role="alert">${describeColumnError(mappingProblem)}</p>` : null}
<form method="post" action="/console/import/${id}/columns">${csrfField(frame.csrf)}
${renderColumnTable(columns)}
${renderDateChoice(columns.dates)}
<p><button class="button quiet">${messages.apply}</button></p>
</form>
</section>`
}

/** Renders the columns with a sample and the field of each. */
export function renderColumnTable({ columns, mapping }: ImportColumns): SafeHtml {
  return html`<table class="cards file-columns"><thead><tr><th scope="col">${messages.column}</th><th scope="col">${messages.sample}</th><th scope="col">${messages.field}</th></tr></thead>
<tbody>${columns.slice(0, MAX_COLUMNS).map(({ name, sample }, index) => {
    const label = name || messages.unnamed(String(index + 1))
    return html`<tr><th scope="row" data-label="${messages.column}">${label}</th><td class="sample" data-label="${messages.sample}">${sample || html`<span class="soft">${messages.empty}</span>`}</td><td data-label="${messages.field}">${renderFieldSelect(index, label, mapping[index])}</td></tr>`
  })}</tbody></table>`
}

/** Renders the choice of the order of day and month. */
export function renderDateChoice(selected: string): SafeHtml {
  const renderOption = ([value, text]: [string, string]) =>
    html`<option value="${value}"${value === selected ? html` selected` : null}>${text}</option>`
  return html`<p><label>${messages.dates} <select name="dates">${Object.entries(messages.dateOrders).map(renderOption)}</select></label></p>`
}

function renderFieldSelect(
  index: number,
  name: string,
  selected: ColumnField | undefined,
): SafeHtml {
  const fields = Object.entries(messages.fields)
  const renderOption = (value: string, text: string) =>
    html`<option value="${value}"${value === (selected ?? '') ? html` selected` : null}>${text}</option>`
  return html`<select name="column${index}" aria-label="${messages.fieldOf(name)}">${renderOption('', messages.ignore)}${fields.map(([value, text]) => renderOption(value, text))}</select>`
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
    ? messages.repeated(messages.fields[mappingProblem.field])
    : messages.missing[mappingProblem.field]
}
