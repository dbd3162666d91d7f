/** What has become of rows; `renamed` are among the `created`, `clicks` are those of the created. */
export type Counts = {
  rows: number
  created: number
  renamed: number
  present: number
  taken: number
  refused: number
  clicks: number
}

export function noCounts(): Counts {
  return { rows: 0, created: 0, renamed: 0, present: 0, taken: 0, refused: 0, clicks: 0 }
}
