/**
 * The clicks of one link by label, packed into bytes: each entry is the distance of its key from the
 * key before and the number of clicks, both as unsigned LEB128 (seven bits a byte, the highest one
 * says that more follow). Entries stand in the order of their keys, so that two lists merge in one
 * pass. A typical entry takes four bytes; a row of a table would take eighty.
 */

/** The kinds of labels; the numbers are stored, so they never change. */
export const KIND = {
  country: 1,
  referrer: 2,
  browser: 3,
  os: 4,
  social: 5,
  device: 6,
  language: 7,
} as const

/** The label of what there is no room to keep apart. */
export const OTHER = 'Other'

/** Distinct labels of one kind that a link keeps apart; whatever comes after them is `other`. */
export const MAX_LABELS = 1000

export type LabelCount = { kind: number; label: number; clicks: number }

/** Counts of one link, the keys ascending. */
export type Counts = { keys: ArrayLike<number>; clicks: ArrayLike<number> }

const KINDS = 8

/** A label's number and its kind in one number. */
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

/**
 * Adds counts to packed ones (undefined for a link that has none) and gives the sum, packed. A label
 * that would be one too many of its kind counts under the label `other`.
 */
export function addCounts(packed: Uint8Array | undefined, added: Counts, other: number): Buffer {
  // Most links of a batch of many have nothing yet, and there is nothing to merge.
  if (!packed?.length && added.keys.length <= MAX_LABELS) return pack(added)
  const sum = mergeSorted(packed ? unpack(packed) : { keys: [], clicks: [] }, added)
  const { counts, known } = sum
  return pack(counts.keys.length > MAX_LABELS ? divert(counts, known, other) : counts)
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
  const { counts } = mergeSorted(packed ? unpack(packed) : { keys: [], clicks: [] }, added)
  if (counts.keys.length <= most) return pack(counts)
  const entries = counts.keys
    .map((key, index) => ({ key, clicks: counts.clicks[index] as number }))
    .sort((a, b) => b.clicks - a.clicks || b.key - a.key)
    .slice(0, kept)
    .sort((a, b) => a.key - b.key)
  return pack({ keys: entries.map(({ key }) => key), clicks: entries.map(({ clicks }) => clicks) })
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

/** Adds packed counts to sums by key. */
export function unpackInto(packed: Uint8Array, sums: Map<number, number>): void {
  eachCount(packed, (key, clicks) => sums.set(key, (sums.get(key) ?? 0) + clicks))
}

/** The sum of several counts. */
export function sumCounts(all: readonly Counts[]): Counts {
  const [first = { keys: [], clicks: [] }, ...rest] = all
  return rest.reduce<Counts>((sum, counts) => mergeSorted(sum, counts).counts, first)
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
  const room = Array.from({ length: KINDS }, () => MAX_LABELS)
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

function eachCount(packed: Uint8Array, visit: (key: number, clicks: number) => void): void {
  let offset = 0
  let key = 0
  const read = () => {
    let value = 0
    let scale = 1
    let byte = 0
    do {
      byte = packed[offset++] as number
      value += (byte & 127) * scale
      scale *= 128
    } while (byte > 127)
    return value
  }
  while (offset < packed.length) {
    key += read()
    visit(key, read())
  }
}

/** Longest entry: a key and clicks of 53 bits, seven bits a byte. */
const LONGEST = 8 + 8
let scratch = Buffer.alloc(LONGEST * MAX_LABELS)

function pack({ keys, clicks }: Counts): Buffer {
  if (scratch.length < keys.length * LONGEST) scratch = Buffer.alloc(2 * keys.length * LONGEST)
  let end = 0
  let last = 0
  for (let index = 0; index < keys.length; index += 1) {
    const key = keys[index] as number
    end = writeNumber(scratch, end, key - last)
    end = writeNumber(scratch, end, clicks[index] as number)
    last = key
  }
  return Buffer.copyBytesFrom(scratch, 0, end)
}

function writeNumber(target: Uint8Array, offset: number, value: number): number {
  let rest = value
  let end = offset
  while (rest > 127) {
    target[end++] = (rest % 128) | 128
    rest = Math.floor(rest / 128)
  }
  target[end++] = rest
  return end
}
