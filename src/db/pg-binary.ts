/**
 * Array parameters in PostgreSQL's binary format (see array_recv). Writing and parsing them is five
 * times as fast as text.
 */

/** The ids of PostgreSQL's types. */
const BYTEA = 17
const INT8 = 20
const INT4 = 23
const DATE = 1082
const TIMESTAMPTZ = 1184
/** The size of an array's header in bytes. */
const ARRAY_HEADER = 20
/** The size of the length before each value of an array. */
const LENGTH_BYTES = 4
const INITIAL_SIZE = 64 * 1024

/** The number of milliseconds and days from 1970 to 2000, which is PostgreSQL's epoch. */
const EPOCH_MS = 946_684_800_000
const EPOCH_DAYS = 10_957

/** Encodes whole numbers within 2^53 as `bigint[]`. */
export function int8Array(values: ArrayLike<number>): Buffer {
  return encodeArray(INT8, 8, values.length, (view, offset, index) => {
    setInt64(view, offset, values[index] as number)
  })
}

/** Encodes whole numbers within 2^31 as `integer[]`. */
export function int4Array(values: ArrayLike<number>): Buffer {
  return encodeArray(INT4, 4, values.length, (view, offset, index) => {
    view.setInt32(offset, values[index] as number)
  })
}

/** Encodes byte strings as `bytea[]`. */
export function byteaArray(values: readonly Buffer[]): Buffer {
  const size = values.reduce((sum, { length }) => sum + 4 + length, ARRAY_HEADER)
  const buffer = Buffer.allocUnsafe(size)
  writeArrayHeader(buffer, BYTEA, values.length)
  let offset = ARRAY_HEADER
  for (const value of values) {
    offset = buffer.writeInt32BE(value.length, offset)
    offset += value.copy(buffer, offset)
  }
  return buffer
}

/** Returns an encoded `bytea[]` with only some of its values. */
export function filterByteaArray(array: Buffer, isIncluded: (index: number) => boolean): Buffer {
  const filtered = Buffer.allocUnsafe(array.length)
  let count = 0
  let end = ARRAY_HEADER
  let index = 0
  for (let from = ARRAY_HEADER; from < array.length; index += 1) {
    const to = from + LENGTH_BYTES + array.readInt32BE(from)
    if (isIncluded(index)) {
      end += array.copy(filtered, end, from, to)
      count += 1
    }
    from = to
  }
  writeArrayHeader(filtered, BYTEA, count)
  return filtered.subarray(0, end)
}

export type ByteaWriter = ReturnType<typeof createByteaWriter>

/**
 * Creates a writer for a `bytea[]` whose values are written in place. `startValue` returns the
 * offset of a value in `bytes`, and `endValue` completes it.
 */
export function createByteaWriter() {
  let bytes = Buffer.allocUnsafe(INITIAL_SIZE)
  let usedBytes = ARRAY_HEADER
  let count = 0
  return {
    get bytes(): Buffer {
      return bytes
    },

    /** Reserves `maxBytes` bytes for the next value and returns its offset. */
    startValue(maxBytes: number): number {
      const start = usedBytes + LENGTH_BYTES
      if (start + maxBytes > bytes.length) {
        const larger = Buffer.allocUnsafe(2 * (start + maxBytes))
        bytes.copy(larger, 0, 0, usedBytes)
        bytes = larger
      }
      return start
    },

    /** Ends the value at an offset. */
    endValue(offset: number): void {
      bytes.writeInt32BE(offset - usedBytes - LENGTH_BYTES, usedBytes)
      usedBytes = offset
      count += 1
    },

    /** Returns the array. Nothing may be written after this call. */
    finish(): Buffer {
      writeArrayHeader(bytes, BYTEA, count)
      return bytes.subarray(0, usedBytes)
    },
  }
}

/** Encodes days since 1970 as `date[]`. */
export function dateArray(days: ArrayLike<number>): Buffer {
  return encodeArray(DATE, 4, days.length, (view, offset, index) => {
    view.setInt32(offset, (days[index] as number) - EPOCH_DAYS)
  })
}

/** Encodes milliseconds since 1970 as `timestamptz[]`. */
export function timestampArray(times: ArrayLike<number>): Buffer {
  return encodeArray(TIMESTAMPTZ, 8, times.length, (view, offset, index) => {
    setInt64(view, offset, toMicroseconds(times[index] as number))
  })
}

/** Converts milliseconds since 1970 to PostgreSQL's unit, microseconds since 2000. */
function toMicroseconds(time: number): number {
  return (time - EPOCH_MS) * 1000
}

/** Writes a whole number within 2^53 as 64 bits. Faster than using `BigInt`. */
function setInt64(view: DataView, offset: number, value: number): void {
  const high = Math.floor(value / 0x1_0000_0000)
  view.setInt32(offset, high)
  view.setUint32(offset + 4, value - high * 0x1_0000_0000)
}

function encodeArray(
  type: number,
  width: number,
  count: number,
  write: (view: DataView, offset: number, index: number) => void,
): Buffer {
  const buffer = Buffer.allocUnsafe(ARRAY_HEADER + (4 + width) * count)
  const view = new DataView(buffer.buffer, buffer.byteOffset, buffer.length)
  writeArrayHeader(buffer, type, count)
  for (let index = 0; index < count; index += 1) {
    const offset = ARRAY_HEADER + (4 + width) * index
    view.setInt32(offset, width)
    write(view, offset + 4, index)
  }
  return buffer
}

/** Writes the header: one dimension, no nulls, the element type, the length and the lower bound. */
function writeArrayHeader(buffer: Buffer, type: number, count: number): void {
  for (const [index, value] of [1, 0, type, count, 1].entries()) {
    buffer.writeInt32BE(value, index * 4)
  }
}
