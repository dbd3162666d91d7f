/** As many as PostgreSQL takes an array to have that it may not look at. */
const TAKEN_FOR = 10

/**
 * Ids, at least one, as PostgreSQL's text of an array, for `any` in a statement that is planned once.
 * PostgreSQL would plan it anew each time for as long as the array is short, since a plan for fewer
 * links looks cheaper. So a short one says its last id several times, which makes no further look-ups.
 * (Reading the array by a select of its own would hide its length as well, but a cluster must see the
 * ids, to ask only the machines that have them.)
 */
export function idArray(ids: readonly number[]): string {
  const last = ids.at(-1)
  const more =
    last === undefined ? [] : Array<number>(Math.max(0, TAKEN_FOR - ids.length)).fill(last)
  return `{${[...ids, ...more].join()}}`
}
