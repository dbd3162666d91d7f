/** Bytes of a number of a joined row. */
export const NUMBER = 8

/** One byte string of each of several rows: parts of `bytes`, empty ones where there is no row. */
export type StoredValues = { bytes: Buffer; starts: Uint32Array; ends: Uint32Array }

/**
 * Takes joined rows apart, of `count` that were asked for: their two values, and the number.
 * `positionOf` tells the position of a row by its link and the number, -1 for one that is not wanted.
 */
export function separate(
  heads: Buffer,
  [first, second]: [Buffer, Buffer],
  count: number,
  positionOf: (link: number, number: number) => number,
): { values: [StoredValues, StoredValues]; numbers: Float64Array } {
  const numbers = new Float64Array(count)
  const [one, two] = [noValues(first, count), noValues(second, count)]
  let [oneEnd, twoEnd] = [0, 0]
  for (let head = 0; head < heads.length; head += 4 * NUMBER) {
    const number = int64At(heads, head + 3 * NUMBER)
    const position = positionOf(int64At(heads, head), number)
    const [oneStart, twoStart] = [oneEnd, twoEnd]
    oneEnd += int64At(heads, head + NUMBER)
    twoEnd += int64At(heads, head + 2 * NUMBER)
    if (position < 0) continue
    one.starts[position] = oneStart
    one.ends[position] = oneEnd
    two.starts[position] = twoStart
    two.ends[position] = twoEnd
    numbers[position] = number
  }
  return { values: [one, two], numbers }
}

/** The first index in an ascending list of a value that is in it. */
export function firstIndex(list: Float64Array, value: number): number {
  let [first, last] = [0, list.length - 1]
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

/** A number as `int8send` gives it. */
export function int64At(buffer: Buffer, offset: number): number {
  return buffer.readInt32BE(offset) * 0x1_0000_0000 + buffer.readUInt32BE(offset + 4)
}
