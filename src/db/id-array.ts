/** The number of elements that PostgreSQL assumes for an array of unknown length. */
const ASSUMED_LENGTH = 10

/**
 * Formats at least one id as a PostgreSQL array in text format, for `any` in a prepared statement.
 * For short arrays PostgreSQL would plan the statement each time, because a plan for fewer rows
 * looks cheaper. So the last id is repeated in a short array, which causes no further lookups. (A
 * subquery would also hide the length, but a Citus cluster must see the ids to query only the
 * machines that store them.)
 */
export function idArray(ids: readonly number[]): string {
  const last = ids.at(-1)
  const more =
    last === undefined ? [] : Array<number>(Math.max(0, ASSUMED_LENGTH - ids.length)).fill(last)
  return `{${[...ids, ...more].join()}}`
}
