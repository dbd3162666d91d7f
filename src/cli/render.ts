/** Renders a result, either as JSON on one line, or as lines and tables for people. */
export function renderResult(result: Readonly<Record<string, unknown>>, json: boolean): string {
  if (json) return `${JSON.stringify(result)}\n`
  const fields = Object.entries(result)
  const hasOnlyLists = fields.every(([, value]) => Array.isArray(value))
  const isList = (value: unknown) =>
    Array.isArray(value) && (hasOnlyLists || value.every((each) => typeof each === 'object'))
  const values = fields.filter(([, value]) => !isList(value))
  const lists = fields.filter(([, value]) => isList(value))
  return [
    renderTable(values.map(([name, value]) => [name, formatValue(value)])),
    ...lists.map(([name, list]) => renderList(name, list as unknown[])),
  ].join('')
}

function renderList(name: string, list: readonly unknown[]): string {
  const [first] = list
  if (first === undefined) return `no ${name}\n`
  if (typeof first !== 'object' || first === null)
    return `${name}: ${list.map(formatValue).join(', ')}\n`
  const rows = list as readonly Readonly<Record<string, unknown>>[]
  const columns = Object.keys(first)
  return renderTable([
    columns,
    ...rows.map((row) => columns.map((column) => formatValue(row[column]))),
  ])
}

function renderTable(rows: readonly (readonly string[])[]): string {
  const columns = rows[0] ?? []
  const widths = columns.map((_, column) =>
    rows.reduce((width, row) => Math.max(width, row[column]?.length ?? 0), 0),
  )
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd()
  return rows.map((row) => `${line(row)}\n`).join('')
}

/** Formats a value on one line, without terminal control characters. */
function formatValue(value: unknown): string {
  if (value === null || value === undefined) return '-'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return String(value).replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ')
}
