export type PageQuery = { limit: number; offset: number }
/** Some of the rows of a list, and how many there are in all. */
export type Page<Entry> = { entries: Entry[]; total: number }

/**
 * How to walk to a page of a list of `total` entries, in descending order: from whichever end is
 * nearer. `inOrder` puts what was found into the order of the list.
 */
export function fromNearerEnd({ limit, offset }: PageQuery, total: number) {
  const size = Math.max(0, Math.min(limit, total - offset))
  const after = total - offset - size
  const fromEnd = after < offset
  const direction: 'asc' | 'desc' = fromEnd ? 'asc' : 'desc'
  return {
    size,
    skip: fromEnd ? after : offset,
    direction,
    inOrder: <Entry>(found: Entry[]): Entry[] => (fromEnd ? found.reverse() : found),
  }
}
