import { LAST_KIND } from './label-kinds.ts'
import {
  type Counts,
  eachCount,
  LONGEST_ENTRY,
  type Range,
  writeSum,
  writtenEntries,
} from './packed-counts.ts'

/**
 * The clicks of one link by label, packed: the keys are labels with their kinds. A typical entry takes
 * four bytes; a row of a table would take eighty.
 */

/** The label for clicks that exceed the number of labels kept apart. */
export const OTHER = 'Other'

/** Distinct labels of one kind that a link keeps apart; later ones count as `other`. */
export const MAX_LABELS = 1000

export type LabelCount = { kind: number; label: number; clicks: number }

/** Kinds that keys have space for: a third of a byte for each entry buys 248 more than 8. */
const KINDS = 256

/** Combines a label's number and its kind into one number. */
export function labelKey(kind: number, label: number): number {
  return label * KINDS + kind
}

/** The counts of packed bytes, in the order of their keys. */
export function unpackCounts(packed: Uint8Array): LabelCount[] {
  const { keys, clicks } = unpack(packed)
  return keys.map((key, index) => {
    const kind = key % KINDS
    return { kind, label: (key - kind) / KINDS, clicks: clicks[index] as number }
  })
}

/** The sum of packed counts of each kind, by the kind's number; of a part of the bytes if one is given. */
export function sumsByKind(packed: Uint8Array, from = 0, to = packed.length): readonly number[] {
  const sums = new Array<number>(LAST_KIND + 1).fill(0)
  const add = (key: number, clicks: number) => {
    sums[key % KINDS] = (sums[key % KINDS] as number) + clicks
  }
  eachCount(packed, add, from, to)
  return sums
}

/**
 * Adds counts to packed ones (undefined for a link that has none) and gives the sum, packed. A label
 * that would be one too many of its kind counts under the label `other`.
 */
export function addCounts(packed: Uint8Array | undefined, added: Counts, other: number): Buffer {
  const stored = packed ?? NOTHING
  const [before, all] = [whole(stored), { from: 0, to: added.keys.length }]
  const target = scratchOf(mostBytes(before, all))
  return Buffer.copyBytesFrom(target, 0, writeCounts(target, 0, stored, before, added, all, other))
}

/**
 * The same for parts of a column of packed counts and of a list, into a `target` that has room for
 * `mostBytes`. Gives the end.
 */
export function writeCounts(
  target: Uint8Array,
  offset: number,
  stored: Uint8Array,
  before: Range,
  added: Counts,
  more: Range,
  other: number,
): number {
  const end = writeSum(target, offset, stored, before, added, more)
  if (writtenEntries() <= MAX_LABELS) return end
  const { counts, known } = mergeSorted(
    unpack(stored.subarray(before.from, before.to)),
    partOf(added, more),
  )
  return writeAll(target, offset, divert(counts, known, other))
}

/** Bytes that the sum of packed counts and others takes at most. */
export function mostBytes(stored: Range, added: Range): number {
  // And an entry for each kind, for what there is no room for.
  return stored.to - stored.from + LONGEST_ENTRY * (added.to - added.from + LAST_KIND)
}

/** How many counts a list holds at most, and how many of them stay when it would be more. */
type Room = { kept: number; most: number }

/**
 * Adds counts to packed ones and gives the sum, packed, without the smallest of them where there are
 * too many: whatever is counted often stays, if not always from the beginning.
 */
export function keepLargest(
  packed: Uint8Array | undefined,
  added: Counts,
  { kept, most }: Room,
): Buffer {
  const { counts } = mergeSorted(unpack(packed ?? NOTHING), added)
  return pack(counts.keys.length <= most ? counts : largest(counts, kept))
}

/** The largest of counts; of equal ones those with larger keys. */
function largest({ keys, clicks }: Lists, kept: number): Lists {
  const bound = Float64Array.from(clicks).sort()[clicks.length - kept] as number
  let room = kept - clicks.reduce((above, count) => above + (count > bound ? 1 : 0), 0)
  const list: Lists = { keys: [], clicks: [] }
  for (let index = keys.length - 1; index >= 0; index -= 1) {
    const count = clicks[index] as number
    if (count < bound || (count === bound && room-- <= 0)) continue
    list.keys.push(keys[index] as number)
    list.clicks.push(count)
  }
  return { keys: list.keys.reverse(), clicks: list.clicks.reverse() }
}

/** Sums by key as counts. */
export function countsOf(sums: ReadonlyMap<number, number>): Counts {
  const keys = Float64Array.from(sums.keys()).sort()
  return { keys, clicks: Array.from(keys, (key) => sums.get(key) as number) }
}

/** The label of a key that is of this kind. */
export function labelOf(key: number, kind: number): number | undefined {
  return key % KINDS === kind ? (key - kind) / KINDS : undefined
}

/** The clicks of each label of one kind, of sums by key. */
export function labelsOfKind(sums: ReadonlyMap<number, number>, kind: number): Map<number, number> {
  const found = new Map<number, number>()
  for (const [key, clicks] of sums) {
    const label = labelOf(key, kind)
    if (label !== undefined) found.set(label, clicks)
  }
  return found
}

/** Adds packed counts to sums by key. */
export function unpackInto(packed: Uint8Array, sums: Map<number, number>): void {
  eachCount(packed, (key, clicks) => sums.set(key, (sums.get(key) ?? 0) + clicks))
}

type Lists = { keys: number[]; clicks: number[] }

/** `known` tells which keys of the sum were in the first list. */
function mergeSorted(first: Counts, second: Counts): { counts: Lists; known: boolean[] } {
  const counts: Lists = { keys: [], clicks: [] }
  const known: boolean[] = []
  const [firstLength, secondLength] = [first.keys.length, second.keys.length]
  let [a, b] = [0, 0]
  while (a < firstLength || b < secondLength) {
    const keyA = a < firstLength ? (first.keys[a] as number) : Number.POSITIVE_INFINITY
    const keyB = b < secondLength ? (second.keys[b] as number) : Number.POSITIVE_INFINITY
    counts.keys.push(Math.min(keyA, keyB))
    known.push(keyA <= keyB)
    let clicks = 0
    if (keyA <= keyB) clicks += first.clicks[a++] as number
    if (keyB <= keyA) clicks += second.clicks[b++] as number
    counts.clicks.push(clicks)
  }
  return { counts, known }
}

/** Labels that are known stay; new ones are taken in until their kind is full. */
function divert({ keys, clicks }: Lists, known: readonly boolean[], other: number): Lists {
  const room = new Array<number>(LAST_KIND + 1).fill(MAX_LABELS)
  const isOther = (key: number) => key >= other * KINDS && key < (other + 1) * KINDS
  for (const [index, key] of keys.entries()) {
    if (known[index] && !isOther(key)) room[key % KINDS] = (room[key % KINDS] as number) - 1
  }
  const kept = new Map<number, number>()
  for (const [index, key] of keys.entries()) {
    const kind = key % KINDS
    let target = key
    if (!known[index] && !isOther(key)) {
      const left = room[kind] as number
      if (left > 0) room[kind] = left - 1
      else target = labelKey(kind, other)
    }
    kept.set(target, (kept.get(target) ?? 0) + (clicks[index] as number))
  }
  const entries = [...kept].sort(([a], [b]) => a - b)
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

function partOf({ keys, clicks }: Counts, { from, to }: Range): Counts {
  const slice = (list: ArrayLike<number>) => Array.prototype.slice.call(list, from, to) as number[]
  return { keys: slice(keys), clicks: slice(clicks) }
}

function pack(counts: Counts): Buffer {
  const target = scratchOf(LONGEST_ENTRY * counts.keys.length)
  return Buffer.copyBytesFrom(target, 0, writeAll(target, 0, counts))
}

function writeAll(target: Uint8Array, offset: number, counts: Counts): number {
  const all = { from: 0, to: counts.keys.length }
  return writeSum(target, offset, NOTHING, whole(NOTHING), counts, all)
}

function whole({ length }: Uint8Array): Range {
  return { from: 0, to: length }
}

const NOTHING = new Uint8Array(0)
let scratch = Buffer.alloc(LONGEST_ENTRY * MAX_LABELS)

function scratchOf(bytes: number): Buffer {
  if (scratch.length < bytes) scratch = Buffer.alloc(2 * bytes)
  return scratch
}
