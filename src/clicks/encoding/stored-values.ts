/** The size in bytes of each number in a joined row. */
export const NUMBER_BYTES = 8

/** One byte string per row, each a slice of `bytes`. Rows without a value have an empty slice. */
export type StoredValues = { bytes: Buffer; starts: Uint32Array; ends: Uint32Array }

/**
 * Splits joined rows into their two values and their number, for `count` requested rows.
 * `positionOf` maps a link and a number to the position of their row, or to -1 to skip it.
 */
export function separate(
  heads: Buffer,
  [first, second]: [Buffer, Buffer],
  count: number,
  positionOf: (link: number, number: number) => number,
): { values: [StoredValues, StoredValues]; numbers: Float64Array } {
  const numbers = new Float64Array(count)
  const one = noValues(first, count)
  const two = noValues(second, count)
  let oneEnd = 0
  let twoEnd = 0
  for (let head = 0; head < heads.length; head += 4 * NUMBER_BYTES) {
    const number = int64At(heads, head + 3 * NUMBER_BYTES)
    const position = positionOf(int64At(heads, head), number)
    const oneStart = oneEnd
    const twoStart = twoEnd
    oneEnd += int64At(heads, head + NUMBER_BYTES)
    twoEnd += int64At(heads, head + 2 * NUMBER_BYTES)
    if (position < 0) continue
    one.starts[position] = oneStart
    one.ends[position] = oneEnd
    two.starts[position] = twoStart
    two.ends[position] = twoEnd
    numbers[position] = number
  }
  return { values: [one, two], numbers }
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

function noValues(bytes: Buffer, count: number): StoredValues {
  return { bytes, starts: new Uint32Array(count), ends: new Uint32Array(count) }
}

/** Reads a number in the format of PostgreSQL's `int8send`. */
export function int64At(buffer: Buffer, offset: number): number {
  return buffer.readInt32BE(offset) * 0x1_0000_0000 + buffer.readUInt32BE(offset + 4)
}
