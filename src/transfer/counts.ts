/**
 * The numbers of rows of an import by outcome: `present` links were imported before, `taken`
 * aliases belong to other links, and `refused` rows are invalid. `clicks` counts the clicks of the
 * created links. `renamed` and `labelsCut` are subsets of `created`: links that got another alias,
 * and links with labels that were counted as `Other` because the account's imports have introduced
 * too many names. `noticed` counts values that created links lost because they were invalid.
 */
export type Counts = {
  rows: number
  created: number
  renamed: number
  present: number
  taken: number
  refused: number
  clicks: number
  labelsCut: number
  noticed: number
}

export function createZeroCounts(): Counts {
  const rows = { rows: 0, created: 0, renamed: 0, present: 0, taken: 0, refused: 0 }
  return { ...rows, clicks: 0, labelsCut: 0, noticed: 0 }
}
