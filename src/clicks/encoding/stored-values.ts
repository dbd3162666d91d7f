/** The size of a number in bytes. */
export const NUMBER_BYTES = 8

/** One value per row, each a slice of `bytes`. Rows without a value have an empty slice. */
export type StoredValues = { bytes: Buffer; starts: Uint32Array; ends: Uint32Array }

/**
 * Splits joined rows into two values and a number per row, for `count` requested rows. Each header
 * in `heads` consists of four numbers: the link, the lengths of the two values, and the number.
 * `positionOf` maps a link and a number to the position of their row, or to -1 to skip it.
 * `isStored` is 1 for the requested rows that exist.
 */
export function splitJoinedRows(
  heads: Buffer,
  [first, second]: [Buffer, Buffer],
  count: number,
  positionOf: (link: number, number: number) => number,
): { values: [StoredValues, StoredValues]; numbers: Float64Array; isStored: Uint8Array } {
  const numbers = new Float64Array(count)
  const isStored = new Uint8Array(count)
  const firstValues = createValues(first, count)
  const secondValues = createValues(second, count)
  let firstEnd = 0
  let secondEnd = 0
  for (let head = 0; head < heads.length; head += 4 * NUMBER_BYTES) {
    const number = int64At(heads, head + 3 * NUMBER_BYTES)
    const position = positionOf(int64At(heads, head), number)
    const firstStart = firstEnd
    const secondStart = secondEnd
    firstEnd += int64At(heads, head + NUMBER_BYTES)
    secondEnd += int64At(heads, head + 2 * NUMBER_BYTES)
    if (position < 0) continue
    firstValues.starts[position] = firstStart
    firstValues.ends[position] = firstEnd
    secondValues.starts[position] = secondStart
    secondValues.ends[position] = secondEnd
    numbers[position] = number
    isStored[position] = 1
  }
  return { values: [firstValues, secondValues], numbers, isStored }
}

/** Returns the first index of a value in an ascending list. The list must contain it. */
export function firstIndex(list: Float64Array, value: number): number {
  let first = 0
  let last = list.length - 1
  while (first < last) {
    const middle = (first + last) >>> 1
    if ((list[middle] as number) < value) first = middle + 1
    else last = middle
  }
  return first
}

function createValues(bytes: Buffer, count: number): StoredValues {
  return { bytes, starts: new Uint32Array(count), ends: new Uint32Array(count) }
}

/** Reads a number in the format of PostgreSQL's `int8send`. */
export function int64At(buffer: Buffer, offset: number): number {
  return buffer.readInt32BE(offset) * 0x1_0000_0000 + buffer.readUInt32BE(offset + 4)
}
