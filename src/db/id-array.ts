/** The number of elements that PostgreSQL assumes for an array of unknown length. */
const ASSUMED_LENGTH = 10

/**
 * Formats ids as a PostgreSQL array in text format, for `any` in a prepared statement.
 * Short arrays are padded by repeating the last id, which causes no additional lookups. Otherwise
 * PostgreSQL would replan the statement each time, because a plan for fewer rows looks cheaper. A
 * subquery would also hide the length, but a Citus cluster must see the ids to query only the
 * machines that store them.
 */
export function idArray(ids: readonly number[]): string {
  const last = ids.at(-1)
  const padding =
    last === undefined ? [] : Array<number>(Math.max(0, ASSUMED_LENGTH - ids.length)).fill(last)
  return `{${[...ids, ...padding].join()}}`
}
