import { sql } from 'kysely'

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
