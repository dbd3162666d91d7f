/**
 * What has become of rows; `clicks` are those of the created. Among the created are the `renamed`, the
 * `forwarding`, which forward the visitor's query where they come from, and the `labelsCut`, some of
 * whose labels count as `Other` because the account's imports have introduced too many names.
 */
export type Counts = {
  rows: number
  created: number
  renamed: number
  present: number
  taken: number
  refused: number
  clicks: number
  forwarding: number
  labelsCut: number
}

export function noCounts(): Counts {
  const rows = { rows: 0, created: 0, renamed: 0, present: 0, taken: 0, refused: 0 }
  return { ...rows, clicks: 0, forwarding: 0, labelsCut: 0 }
}
