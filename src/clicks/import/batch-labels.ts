import { labelKey } from '../encoding/label-counts.ts'
import { codecOf, KIND, labelKindNames } from '../encoding/label-kinds.ts'
import { type Columns, valuesOf } from './columns.ts'
import type { Days } from './days.ts'
import type { Grouped } from './group.ts'

/** Clicks by label, one day of a link after the other, the labels of each in the order of their keys. */
export type Labels = {
  /** Where the labels of each day begin, and where the last ones end. */
  labelStarts: Uint32Array
  labels: { keys: Float64Array; clicks: Uint32Array }
}

/** Clicks between two pauses. */
const SLICE = 20_000
/** So few numbers are sorted in place. */
const FEW = 24
/** Where at least one of so many slots is counted under, looking at all of them is quicker than sorting. */
const SPARSE = 16

/**
 * Counts people's clicks by label. Every label that the batch has gets a slot, in the order of the
 * keys; each day is counted in an array with that many slots, which takes a fraction of what sorting
 * the labels of all clicks does. `labelIds` tells the number of each of the batch's names.
 */
export async function countLabels(
  { clicks, starts }: Grouped,
  days: Days,
  labelIds: ArrayLike<number>,
  pause: () => Promise<void>,
): Promise<Labels> {
  const { fields, slots } = slotsOf(clicks, labelIds)
  const day = createDayCounts(slots.length)
  const most = clicks.at.length * fields.length
  const labels = { keys: new Float64Array(most), clicks: new Uint32Array(most) }
  const labelStarts = new Uint32Array(days.day.length + 1)
  let [used, paused] = [0, 0]
  for (let index = 0; index < days.day.length; index += 1) {
    const from = days.clickStarts[index] as number
    const isLast = days.link[index + 1] !== days.link[index]
    const link = days.link[index] as number
    const to = (isLast ? starts[link + 1] : days.clickStarts[index + 1]) as number
    for (const field of fields) day.count(field, clicks.crawler, from, to)
    used = day.write(slots, labels, used)
    labelStarts[index + 1] = used
    if (to < paused + SLICE) continue
    paused = to
    await pause()
  }
  return {
    labelStarts,
    labels: { keys: labels.keys.subarray(0, used), clicks: labels.clicks.subarray(0, used) },
  }
}

/** A column of labels of one kind, and the slot of each of its values. */
type Field = { column: Int32Array; slotOf: Int32Array }

/** Gives a slot to each label that is in the columns; `slots` are the keys, ascending. */
function slotsOf(
  clicks: Columns,
  labelIds: ArrayLike<number>,
): { fields: Field[]; slots: Float64Array } {
  const named = (label: number) => labelIds[label] as number
  const itself = (label: number) => label
  const kinds = labelKindNames.map((name) => {
    const column = clicks.labels[name]
    const idOf = codecOf(name) ? itself : named
    return { kind: KIND[name], column, idOf, values: valuesOf(column) }
  })
  const keys = kinds.flatMap(({ kind, values, idOf }) =>
    Array.from(values, (value) => labelKey(kind, idOf(value))),
  )
  const slots = Float64Array.from(new Set(keys)).sort()
  const slotOfKey = new Map(Array.from(slots, (key, slot) => [key, slot]))
  const fields = kinds.map(({ kind, column, values, idOf }) => {
    const slotOf = new Int32Array((values.at(-1) ?? -1) + 1)
    for (const value of values) slotOf[value] = slotOfKey.get(labelKey(kind, idOf(value))) ?? 0
    return { column, slotOf }
  })
  return { fields, slots }
}

/** Counts one day after the other, each by its labels' slots. */
function createDayCounts(slots: number) {
  const counts = new Uint32Array(slots)
  const counted = new Uint32Array(slots)
  let found = 0

  function count({ column, slotOf }: Field, crawler: Int32Array, from: number, to: number): void {
    for (let row = from; row < to; row += 1) {
      const value = column[row] as number
      if (value < 0 || crawler[row] === 1) continue
      const slot = slotOf[value] as number
      if (counts[slot] === 0) counted[found++] = slot
      counts[slot] = (counts[slot] as number) + 1
    }
  }

  /** Writes what was counted from an index on and begins anew; gives the end. */
  function write(keys: Float64Array, target: Labels['labels'], from: number): number {
    let end = from
    const take = (slot: number) => {
      target.keys[end] = keys[slot] as number
      target.clicks[end] = counts[slot] as number
      counts[slot] = 0
      end += 1
    }
    if (found * SPARSE < slots || found <= FEW) {
      sort(counted, found)
      for (let index = 0; index < found; index += 1) take(counted[index] as number)
    } else {
      for (let slot = 0; slot < slots; slot += 1) if (counts[slot] !== 0) take(slot)
    }
    found = 0
    return end
  }

  return { count, write }
}

/** Sorts the first of some numbers. */
function sort(numbers: Uint32Array, length: number): void {
  if (length > FEW) {
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
