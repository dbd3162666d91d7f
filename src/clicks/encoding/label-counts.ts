import { LAST_KIND } from './label-kinds.ts'
import {
  type Counts,
  eachCount,
  getWrittenEntryCount,
  MAX_ENTRY_BYTES,
  type Range,
  writeSum,
} from './packed-counts.ts'

/**
 * Packed counts of a link's clicks by label. A key combines a label with its kind. A typical entry
 * takes four bytes, while a table row would take eighty.
 */

/** The label that collects clicks once a kind has `MAX_LABELS` labels. */
export const OTHER_LABEL = 'Other'

/**
 * The maximum number of distinct labels per link and kind. Later labels are counted as
 * `OTHER_LABEL`.
 */
export const MAX_LABELS = 1000

export type LabelCount = { kind: number; label: number; clicks: number }

/**
 * The number of keys reserved per label, one for each kind. It allows for more kinds than exist
 * today, and can never change, because keys are stored.
 */
const KEYS_PER_LABEL = 256

/** Combines a label's number and its kind into one key. */
export function toLabelKey(kind: number, label: number): number {
  return label * KEYS_PER_LABEL + kind
}

/** Returns the counts in packed bytes, ordered by key. */
export function unpackCounts(packed: Uint8Array): LabelCount[] {
  const { keys, clicks } = unpack(packed)
  return keys.map((key, index) => {
    const kind = key % KEYS_PER_LABEL
    return { kind, label: (key - kind) / KEYS_PER_LABEL, clicks: clicks[index] as number }
  })
}

/**
 * Returns the sum of packed counts per kind, indexed by kind number. `from` and `to` restrict it to
 * a part of the bytes.
 */
export function sumsByKind(packed: Uint8Array, from = 0, to = packed.length): readonly number[] {
  const sums = new Array<number>(LAST_KIND + 1).fill(0)
  const add = (key: number, clicks: number) => {
    sums[key % KEYS_PER_LABEL] = (sums[key % KEYS_PER_LABEL] as number) + clicks
  }
  eachCount(packed, add, from, to)
  return sums
}

/**
 * Adds counts to packed counts and returns the packed result. `packed` is undefined for a link
 * without counts. Clicks with labels beyond `MAX_LABELS` are counted under the label `other`.
 */
export function addCounts(packed: Uint8Array | undefined, added: Counts, other: number): Buffer {
  const stored = packed ?? NO_BYTES
  const storedRange = fullRange(stored)
  const addedRange = { from: 0, to: added.keys.length }
  const target = reserveScratch(maxBytesOfSum(storedRange, addedRange))
  return Buffer.copyBytesFrom(
    target,
    0,
    writeCounts(target, 0, stored, storedRange, added, addedRange, other),
  )
}

/**
 * Works like `addCounts`, but on slices of `stored` and `added`. Writes to `target`, which must
 * have `maxBytesOfSum` bytes left, and returns the end offset.
 */
export function writeCounts(
  target: Uint8Array,
  offset: number,
  stored: Uint8Array,
  storedRange: Range,
  added: Counts,
  addedRange: Range,
  other: number,
): number {
  const end = writeSum(target, offset, stored, storedRange, added, addedRange)
  if (getWrittenEntryCount() <= MAX_LABELS) return end
  const { counts, inFirst } = mergeSorted(
    unpack(stored.subarray(storedRange.from, storedRange.to)),
    sliceCounts(added, addedRange),
  )
  return writeAll(target, offset, divertOverflow(counts, inFirst, other))
}

/** Returns the maximum size in bytes of packed counts after adding counts. */
export function maxBytesOfSum(stored: Range, added: Range): number {
  // Each kind may also need an entry for `OTHER_LABEL`.
  return stored.to - stored.from + MAX_ENTRY_BYTES * (added.to - added.from + LAST_KIND)
}

/** The limits of a list: if it is longer than `max`, only its `size` largest counts are kept. */
type Bounds = { size: number; max: number }

/**
 * Adds counts to packed counts, and drops the smallest ones if there are too many. Frequent keys
 * survive, but lose the counts from before they were dropped.
 */
export function keepLargest(
  packed: Uint8Array | undefined,
  added: Counts,
  { size, max }: Bounds,
): Buffer {
  const { counts } = mergeSorted(unpack(packed ?? NO_BYTES), added)
  return pack(counts.keys.length <= max ? counts : selectLargest(counts, size))
}

/** Returns the `size` largest counts. Among equal counts, larger keys win. */
function selectLargest({ keys, clicks }: Lists, size: number): Lists {
  const smallest = Float64Array.from(clicks).sort()[clicks.length - size] as number
  let remainingTies = size - clicks.filter((count) => count > smallest).length
  const list: Lists = { keys: [], clicks: [] }
  for (let index = keys.length - 1; index >= 0; index -= 1) {
    const count = clicks[index] as number
    if (count < smallest) continue
    if (count === smallest && remainingTies-- <= 0) continue
    list.keys.push(keys[index] as number)
    list.clicks.push(count)
  }
  return { keys: list.keys.reverse(), clicks: list.clicks.reverse() }
}

/** Converts sums by key to counts with ascending keys. */
export function toCounts(sums: ReadonlyMap<number, number>): Counts {
  const keys = Float64Array.from(sums.keys()).sort()
  return { keys, clicks: Array.from(keys, (key) => sums.get(key) as number) }
}

/** Returns the label of a key, or undefined if the key is of another kind. */
export function getLabel(key: number, kind: number): number | undefined {
  return key % KEYS_PER_LABEL === kind ? (key - kind) / KEYS_PER_LABEL : undefined
}

/** Returns the clicks of each label of one kind from sums by key. */
export function labelsOfKind(sums: ReadonlyMap<number, number>, kind: number): Map<number, number> {
  const clicksByLabel = new Map<number, number>()
  for (const [key, clicks] of sums) {
    const label = getLabel(key, kind)
    if (label !== undefined) clicksByLabel.set(label, clicks)
  }
  return clicksByLabel
}

/** Adds packed counts to `sums`, which maps keys to clicks. */
export function unpackInto(packed: Uint8Array, sums: Map<number, number>): void {
  eachCount(packed, (key, clicks) => sums.set(key, (sums.get(key) ?? 0) + clicks))
}

type Lists = { keys: number[]; clicks: number[] }

/** Merges two lists. `inFirst[i]` is true if key `i` of the result was in the first list. */
function mergeSorted(first: Counts, second: Counts): { counts: Lists; inFirst: boolean[] } {
  const counts: Lists = { keys: [], clicks: [] }
  const inFirst: boolean[] = []
  const firstLength = first.keys.length
  const secondLength = second.keys.length
  let a = 0
  let b = 0
  while (a < firstLength || b < secondLength) {
    const keyA = a < firstLength ? (first.keys[a] as number) : Number.POSITIVE_INFINITY
    const keyB = b < secondLength ? (second.keys[b] as number) : Number.POSITIVE_INFINITY
    counts.keys.push(Math.min(keyA, keyB))
    inFirst.push(keyA <= keyB)
    let clicks = 0
    if (keyA <= keyB) clicks += first.clicks[a++] as number
    if (keyB <= keyA) clicks += second.clicks[b++] as number
    counts.clicks.push(clicks)
  }
  return { counts, inFirst }
}

/**
 * Counts existing labels, and new ones until their kind is full. The remaining clicks are added to
 * `other`.
 */
function divertOverflow(
  { keys, clicks }: Lists,
  inFirst: readonly boolean[],
  other: number,
): Lists {
  const capacity = new Array<number>(LAST_KIND + 1).fill(MAX_LABELS)
  const isOther = (key: number) => Math.floor(key / KEYS_PER_LABEL) === other
  for (const [index, key] of keys.entries()) {
    if (inFirst[index] && !isOther(key))
      capacity[key % KEYS_PER_LABEL] = (capacity[key % KEYS_PER_LABEL] as number) - 1
  }
  const sums = new Map<number, number>()
  for (const [index, key] of keys.entries()) {
    const kind = key % KEYS_PER_LABEL
    let target = key
    if (!inFirst[index] && !isOther(key)) {
      const left = capacity[kind] as number
      if (left > 0) capacity[kind] = left - 1
      else target = toLabelKey(kind, other)
    }
    sums.set(target, (sums.get(target) ?? 0) + (clicks[index] as number))
  }
  const entries = [...sums].sort(([a], [b]) => a - b)
  return { keys: entries.map(([key]) => key), clicks: entries.map(([, count]) => count) }
}

function unpack(packed: Uint8Array): Lists {
  const lists: Lists = { keys: [], clicks: [] }
  eachCount(packed, (key, clicks) => {
    lists.keys.push(key)
    lists.clicks.push(clicks)
  })
  return lists
}

function sliceCounts({ keys, clicks }: Counts, { from, to }: Range): Counts {
  const slice = (list: ArrayLike<number>) => Array.prototype.slice.call(list, from, to) as number[]
  return { keys: slice(keys), clicks: slice(clicks) }
}

function pack(counts: Counts): Buffer {
  const target = reserveScratch(MAX_ENTRY_BYTES * counts.keys.length)
  return Buffer.copyBytesFrom(target, 0, writeAll(target, 0, counts))
}

function writeAll(target: Uint8Array, offset: number, counts: Counts): number {
  const addedRange = { from: 0, to: counts.keys.length }
  return writeSum(target, offset, NO_BYTES, fullRange(NO_BYTES), counts, addedRange)
}

function fullRange({ length }: Uint8Array): Range {
  return { from: 0, to: length }
}

const NO_BYTES = new Uint8Array(0)
let scratch = Buffer.alloc(MAX_ENTRY_BYTES * MAX_LABELS)

function reserveScratch(bytes: number): Buffer {
  if (scratch.length < bytes) scratch = Buffer.alloc(2 * bytes)
  return scratch
}
