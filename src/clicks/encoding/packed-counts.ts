/** In packed hours, key h has the clicks of hour h (UTC), from 0 to 23. */
export const HOURS_PER_DAY = 24

/** In packed hours, key `NEW_VISITORS_OFFSET` + h has the new visitors of hour h. */
export const NEW_VISITORS_OFFSET = HOURS_PER_DAY

/**
 * Packs counts by key into bytes. Each entry consists of the difference from the previous key and
 * the count, both as unsigned LEB128 (seven bits per byte; the high bit is set if more bytes
 * follow). Entries are ordered by key, so two lists can be merged in one pass.
 */

/** Counts with ascending keys. */
export type Counts = { keys: ArrayLike<number>; clicks: ArrayLike<number> }

/** A slice of a list, from `from` (inclusive) to `to` (exclusive). */
export type Range = { from: number; to: number }

/** The size of the longest entry: a key and a count of 53 bits each, seven bits per byte. */
export const MAX_ENTRY_BYTES = 8 + 8

/**
 * The end offset of the last `readNumber`. A module variable avoids allocating an object per
 * number.
 */
let position = 0

/** The number of entries written by `writeSum`. */
let entryCount = 0

/** Calls `visit` with each key and count. `from` and `to` restrict it to a part of the bytes. */
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
    // `visit` may call `readNumber` on other bytes.
    const next = position
    visit(key, clicks)
    position = next
  }
}

/**
 * Writes the sum of packed counts (a slice of `stored`) and counts (a slice of `added`) to
 * `target`. The target needs as many bytes as the packed counts, plus `MAX_ENTRY_BYTES` for each
 * added count. Returns the end offset. `writtenEntryCount` returns the number of keys.
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
  entryCount = 0
  let end = offset
  let previousKey = 0
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
    end = writeNumber(target, end, key - previousKey)
    end = writeNumber(target, end, clicks)
    previousKey = key
    entryCount += 1
  }
  return end
}

/** Returns the number of keys written by the last call to `writeSum`. */
export function getWrittenEntryCount(): number {
  return entryCount
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

/** Writes a number as unsigned LEB128 and returns the end offset. */
export function writeNumber(target: Uint8Array, offset: number, value: number): number {
  let remainder = value
  let end = offset
  while (remainder > 127) {
    target[end++] = (remainder % 128) | 128
    remainder = Math.floor(remainder / 128)
  }
  target[end++] = remainder
  return end
}
