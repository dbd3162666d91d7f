import { toLabelKey } from '../encoding/label-counts.ts'
import { codecOf, KIND, labelKindNames } from '../encoding/label-kinds.ts'
import { type Columns, listDistinctValues } from './columns.ts'
import type { Days } from './days.ts'
import type { Grouped } from './group.ts'

/** Clicks by label for each day. The labels of a day are ordered by key. */
export type Labels = {
  /** The start of each day's labels, followed by the end of the last day's labels. */
  labelStarts: Uint32Array
  labels: { keys: Float64Array; clicks: Uint32Array }
}

/** The number of clicks processed between two pauses. */
const CLICKS_PER_TURN = 20_000
/** Lists up to this length are sorted in place. */
const MAX_IN_PLACE_SORT = 24
/** If at least one in this many slots is in use, scanning all slots is faster than sorting. */
const SLOTS_PER_USED = 16

/**
 * Counts human clicks by label. Each label of the batch gets a slot, in key order, and each day is
 * counted in an array of slots. This is several times faster than sorting the labels of all clicks.
 * `labelIds` maps the batch's names to label numbers.
 */
export async function countLabels(
  { clicks, starts }: Grouped,
  days: Days,
  labelIds: ArrayLike<number>,
  pause: () => Promise<void>,
): Promise<Labels> {
  const { fields, slots } = assignSlots(clicks, labelIds)
  const day = createDayCounts(slots.length)
  const maxLength = clicks.at.length * fields.length
  const labels = { keys: new Float64Array(maxLength), clicks: new Uint32Array(maxLength) }
  const labelStarts = new Uint32Array(days.day.length + 1)
  let used = 0
  let lastPause = 0
  for (let index = 0; index < days.day.length; index += 1) {
    const from = days.clickStarts[index] as number
    const isLast = days.link[index + 1] !== days.link[index]
    const link = days.link[index] as number
    const to = (isLast ? starts[link + 1] : days.clickStarts[index + 1]) as number
    for (const field of fields) day.count(field, clicks.crawler, from, to)
    used = day.write(slots, labels, used)
    labelStarts[index + 1] = used
    if (to < lastPause + CLICKS_PER_TURN) continue
    lastPause = to
    await pause()
  }
  return {
    labelStarts,
    labels: { keys: labels.keys.subarray(0, used), clicks: labels.clicks.subarray(0, used) },
  }
}

/** A column with labels of one kind, and the slot of each of its values. */
type Field = { column: Int32Array; slotOf: Int32Array }

/** Assigns a slot to each label in the columns. `slots` are the ascending keys. */
function assignSlots(
  clicks: Columns,
  labelIds: ArrayLike<number>,
): { fields: Field[]; slots: Float64Array } {
  const toLabelId = (label: number) => labelIds[label] as number
  const keepNumber = (label: number) => label
  const kinds = labelKindNames.map((name) => {
    const column = clicks.labels[name]
    const idOf = codecOf(name) ? keepNumber : toLabelId
    return { kind: KIND[name], column, idOf, values: listDistinctValues(column) }
  })
  const keys = kinds.flatMap(({ kind, values, idOf }) =>
    Array.from(values, (value) => toLabelKey(kind, idOf(value))),
  )
  const slots = Float64Array.from(new Set(keys)).sort()
  const slotOfKey = new Map(Array.from(slots, (key, slot) => [key, slot]))
  const fields = kinds.map(({ kind, column, values, idOf }) => {
    const slotOf = new Int32Array((values.at(-1) ?? -1) + 1)
    for (const value of values) slotOf[value] = slotOfKey.get(toLabelKey(kind, idOf(value))) ?? 0
    return { column, slotOf }
  })
  return { fields, slots }
}

/** Counts clicks by label slot, one day at a time. */
function createDayCounts(slots: number) {
  const counts = new Uint32Array(slots)
  const usedSlots = new Uint32Array(slots)
  let usedCount = 0

  function count({ column, slotOf }: Field, crawler: Int32Array, from: number, to: number): void {
    for (let row = from; row < to; row += 1) {
      const value = column[row] as number
      if (value < 0 || crawler[row] === 1) continue
      const slot = slotOf[value] as number
      if (counts[slot] === 0) usedSlots[usedCount++] = slot
      counts[slot] = (counts[slot] as number) + 1
    }
  }

  /** Writes the counts from index `from` on, resets them, and returns the end index. */
  function write(keys: Float64Array, target: Labels['labels'], from: number): number {
    let end = from
    const writeSlot = (slot: number) => {
      target.keys[end] = keys[slot] as number
      target.clicks[end] = counts[slot] as number
      counts[slot] = 0
      end += 1
    }
    if (usedCount * SLOTS_PER_USED < slots || usedCount <= MAX_IN_PLACE_SORT) {
      sort(usedSlots, usedCount)
      for (let index = 0; index < usedCount; index += 1) writeSlot(usedSlots[index] as number)
    } else {
      for (let slot = 0; slot < slots; slot += 1) if (counts[slot] !== 0) writeSlot(slot)
    }
    usedCount = 0
    return end
  }

  return { count, write }
}

/** Sorts the first `length` numbers. */
function sort(numbers: Uint32Array, length: number): void {
  if (length > MAX_IN_PLACE_SORT) {
    numbers.subarray(0, length).sort()
    return
  }
  for (let index = 1; index < length; index += 1) {
    const number = numbers[index] as number
    let slot = index
    for (; slot > 0 && (numbers[slot - 1] as number) > number; slot -= 1) {
      numbers[slot] = numbers[slot - 1] as number
    }
    numbers[slot] = number
  }
}
