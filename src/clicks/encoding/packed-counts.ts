/**
 * Counts by key packed into bytes: each entry is the distance of its key from the key before and the
 * count, both as unsigned LEB128 (seven bits a byte, the highest one says that more follow). Entries
 * stand in the order of their keys, so that two lists merge in one pass.
 */

/** Counts, the keys ascending. */
export type Counts = { keys: ArrayLike<number>; clicks: ArrayLike<number> }

/** A part of a list: from one index to before another. */
export type Range = { from: number; to: number }

/** Longest entry: a key and clicks of 53 bits, seven bits a byte. */
export const LONGEST_ENTRY = 8 + 8

/** Where `readNumber` goes on: a second result, without an object for each number. */
let position = 0

/** Entries that `writeSum` has written. */
let entries = 0

/** Calls `visit` with each key and its count, of a part of the bytes if one is given. */
export function eachCount(
  packed: Uint8Array,
  visit: (key: number, clicks: number) => void,
  from = 0,
  to = packed.length,
): void {
  position = from
  let key = 0
  while (position < to) {
    key += readNumber(packed)
    const clicks = readNumber(packed)
    // What is visited may read other bytes.
    const next = position
    visit(key, clicks)
    position = next
  }
}

/**
 * Writes the sum of packed counts (a part of `stored`) and others (a part of `added`) into `target`,
 * which must have room for the former and for `LONGEST_ENTRY` for each of the latter. Gives the end;
 * `writtenEntries` tells how many keys there are.
 */
export function writeSum(
  target: Uint8Array,
  offset: number,
  stored: Uint8Array,
  { from, to }: Range,
  added: Counts,
  { from: first, to: last }: Range,
): number {
  position = from
  entries = 0
  let end = offset
  let before = 0
  let index = first
  let storedKey = from < to ? readNumber(stored) : Number.POSITIVE_INFINITY
  let addedKey = index < last ? (added.keys[index] as number) : Number.POSITIVE_INFINITY
  while (storedKey < Number.POSITIVE_INFINITY || addedKey < Number.POSITIVE_INFINITY) {
    const key = Math.min(storedKey, addedKey)
    let clicks = 0
    if (storedKey === key) {
      clicks += readNumber(stored)
      storedKey = position < to ? key + readNumber(stored) : Number.POSITIVE_INFINITY
    }
    if (addedKey === key) {
      clicks += added.clicks[index++] as number
      addedKey = index < last ? (added.keys[index] as number) : Number.POSITIVE_INFINITY
    }
    end = writeNumber(target, end, key - before)
    end = writeNumber(target, end, clicks)
    before = key
    entries += 1
  }
  return end
}

/** How many keys the last call of `writeSum` has written. */
export function writtenEntries(): number {
  return entries
}

function readNumber(packed: Uint8Array): number {
  let byte = packed[position++] as number
  if (byte < 128) return byte
  let value = byte & 127
  for (let scale = 128; byte > 127; scale *= 128) {
    byte = packed[position++] as number
    value += (byte & 127) * scale
  }
  return value
}

/** Writes a number as LEB128 and returns its end. */
export function writeNumber(target: Uint8Array, offset: number, value: number): number {
  let rest = value
  let end = offset
  while (rest > 127) {
    target[end++] = (rest % 128) | 128
    rest = Math.floor(rest / 128)
  }
  target[end++] = rest
  return end
}
