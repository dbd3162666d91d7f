type Value = string | number | Date | null | undefined

const QUOTED = /["\\]/

/**
 * Formats values as a PostgreSQL array in text format, several times as fast as the driver.
 * Undefined and null become NULL. Dates must have four-digit years. Format:
 * https://www.postgresql.org/docs/current/arrays.html#ARRAYS-IO
 */
export function textArray(values: readonly Value[]): string {
  let text = '{'
  for (let index = 0; index < values.length; index += 1) {
    if (index > 0) text += ','
    text += formatElement(values[index])
  }
  return `${text}}`
}

function formatElement(value: Value): string {
  if (value === null || value === undefined) return 'NULL'
  if (typeof value === 'number') return String(value)
  if (typeof value !== 'string') return `"${value.toISOString()}"`
  return QUOTED.test(value) ? `"${value.replace(/["\\]/g, '\\$&')}"` : `"${value}"`
}
