import { sql } from 'kysely'
import { int64At, NUMBER } from '../encoding/stored-values.ts'

/**
 * The expression for what tells joined rows apart, as numbers: each row's link, the length of each of
 * its two values, and one more. Reading tens of thousands of rows one by one would cost the driver
 * four times as much.
 */
export function headsOf(...numbers: [string, string, string, string]) {
  const parts = numbers.map((name) => sql`int8send(${sql.raw(name)})`)
  return sql<Buffer>`coalesce(string_agg(${sql.join(parts, sql` || `)}, ''), '')`
}

/** The expression for all values of a column, one after the other. */
export function joined(column: string) {
  return sql<Buffer>`coalesce(string_agg(${sql.raw(column)}, ''), '')`
}

/** Numbers that are read of each row: the expression of each by its name. */
type Numbers<Name extends string> = Readonly<Record<Name, string>>

/** The expression for numbers of every row, eight bytes each, one row after the other. */
export function joinedNumbers(numbers: Numbers<string>) {
  const parts = Object.values(numbers).map((number) => sql`int8send(${sql.raw(number)})`)
  return sql<Buffer>`coalesce(string_agg(${sql.join(parts, sql` || `)}, ''), '')`
}

/** What was read by the expression of `joinedNumbers`: a list of each number, in the order of the rows. */
export function columnsOf<Name extends string>(
  joinedRows: Buffer,
  numbers: Numbers<Name>,
): Record<Name, Float64Array> {
  const names = Object.keys(numbers) as Name[]
  const rows = joinedRows.length / (NUMBER * names.length)
  const lists = names.map(() => new Float64Array(rows))
  let offset = 0
  for (let row = 0; row < rows; row += 1) {
    for (const list of lists) {
      list[row] = int64At(joinedRows, offset)
      offset += NUMBER
    }
  }
  return Object.fromEntries(names.map((name, index) => [name, lists[index]])) as Record<
    Name,
    Float64Array
  >
}
