export type PageQuery = { limit: number; offset: number }
/** A page of a list, and the total number of entries. */
export type Page<Entry> = {
  entries: Entry[]
  total: number
  /** Whether there are more than `total` entries, because not all of them were counted. */
  hasMore?: boolean
  /**
   * Set if not all links were searched: all those with this id and above were. The search can
   * continue before it.
   */
  readTo?: number
}

/**
 * Returns how to read a page of a descending list with `total` entries from the nearer end.
 * `restoreOrder` restores the order of the list.
 */
export function planPageRead({ limit, offset }: PageQuery, total: number) {
  const size = Math.max(0, Math.min(limit, total - offset))
  const entriesAfter = total - offset - size
  const isFromEnd = entriesAfter < offset
  const direction: 'asc' | 'desc' = isFromEnd ? 'asc' : 'desc'
  return {
    size,
    skip: isFromEnd ? entriesAfter : offset,
    direction,
    restoreOrder: <Entry>(entries: Entry[]): Entry[] => (isFromEnd ? entries.reverse() : entries),
  }
}
