import { type Columns, reorderColumns } from './columns.ts'

export const HOUR_MS = 3_600_000

/** Links in ascending order, their clicks grouped by link, and the start of each link's clicks. */
export type Grouped = { links: Float64Array; clicks: Columns; starts: Uint32Array }

/**
 * Groups clicks by link, and skips links that are not in `existing`. The clicks of a link are
 * ordered by hour.
 */
export function groupByLink(
  { links: ids, columns }: { links: readonly number[]; columns: Columns },
  existing: { has(linkId: number): boolean },
): Grouped {
  const { link, at } = columns
  const indexes = Uint32Array.from(ids.keys()).filter((index) => existing.has(ids[index] as number))
  indexes.sort((a, b) => (ids[a] as number) - (ids[b] as number))
  const positions = new Int32Array(ids.length).fill(-1)
  for (let position = 0; position < indexes.length; position += 1) {
    positions[indexes[position] as number] = position
  }
  const starts = new Uint32Array(indexes.length + 1)
  for (let row = 0; row < link.length; row += 1) {
    const position = positions[link[row] as number] as number
    if (position >= 0) starts[position + 1] = (starts[position + 1] as number) + 1
  }
  for (let position = 1; position <= indexes.length; position += 1) {
    starts[position] = (starts[position] as number) + (starts[position - 1] as number)
  }
  const nextSlots = starts.slice()
  const rows = new Uint32Array(starts[indexes.length] as number)
  for (let row = 0; row < link.length; row += 1) {
    const position = positions[link[row] as number] as number
    if (position < 0) continue
    const slot = nextSlots[position] as number
    rows[slot] = row
    nextSlots[position] = slot + 1
  }
  orderHours(rows, starts, at)
  const links = Float64Array.from(indexes, (index) => ids[index] as number)
  return { links, clicks: reorderColumns(columns, rows), starts }
}

/**
 * Orders the clicks of each link by hour. They are out of order only if several journals were
 * merged or a clock was set back.
 */
function orderHours(rows: Uint32Array, starts: Uint32Array, at: Float64Array): void {
  for (let position = 0; position < starts.length - 1; position += 1) {
    const end = starts[position + 1] as number
    let previousHour = 0
    for (let index = starts[position] as number; index < end; index += 1) {
      const hour = hourOf(at[rows[index] as number] as number)
      if (hour < previousHour) {
        rows.subarray(starts[position], end).sort((a, b) => (at[a] as number) - (at[b] as number))
        break
      }
      previousHour = hour
    }
  }
}

/** Returns the hour of a time, in hours since 1970. */
export function hourOf(at: number): number {
  return Math.floor(at / HOUR_MS)
}
