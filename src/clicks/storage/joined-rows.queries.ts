import { sql } from 'kysely'
import { int64At, NUMBER_BYTES } from '../encoding/stored-values.ts'

/**
 * Returns the SQL expression for the headers of joined rows: the link of each row, the lengths of
 * its two values, and one more number. Reading tens of thousands of separate rows would take the
 * driver four times as long.
 */
export function joinedHeaders(...numbers: [string, string, string, string]) {
  const parts = numbers.map((name) => sql`int8send(${sql.raw(name)})`)
  return sql<Buffer>`coalesce(string_agg(${sql.join(parts, sql` || `)}, ''), '')`
}

/** Returns the SQL expression that concatenates the values of a column. */
export function joinedValues(column: string) {
  return sql<Buffer>`coalesce(string_agg(${sql.raw(column)}, ''), '')`
}

/** The SQL expressions of the numbers to read, by name. */
type Numbers<Name extends string> = Readonly<Record<Name, string>>

/** Returns the SQL expression that concatenates the numbers of all rows, eight bytes each. */
export function joinedNumbers(numbers: Numbers<string>) {
  const parts = Object.values(numbers).map((number) => sql`int8send(${sql.raw(number)})`)
  return sql<Buffer>`coalesce(string_agg(${sql.join(parts, sql` || `)}, ''), '')`
}

/** Converts the result of `joinedNumbers` to one list per number, in the order of the rows. */
export function splitColumns<Name extends string>(
  joinedRows: Buffer,
  numbers: Numbers<Name>,
): Record<Name, Float64Array> {
  const names = Object.keys(numbers) as Name[]
  const rows = joinedRows.length / (NUMBER_BYTES * names.length)
  const lists = names.map(() => new Float64Array(rows))
  let offset = 0
  for (let row = 0; row < rows; row += 1) {
    for (const list of lists) {
      list[row] = int64At(joinedRows, offset)
      offset += NUMBER_BYTES
    }
  }
  return Object.fromEntries(names.map((name, index) => [name, lists[index]])) as Record<
    Name,
    Float64Array
  >
}
