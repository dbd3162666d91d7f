/**
 * Array parameters in PostgreSQL's binary format (see array_recv), which take a fifth of the time that their
 * text takes to write and to read.
 */

const BYTEA = 17
const INT8 = 20
const INT4 = 23
const DATE = 1082
const TIMESTAMPTZ = 1184
const ARRAY_HEADER = 20
/** Bytes before each value of an array. */
const LENGTH = 4
const INITIAL_SIZE = 64 * 1024

/** Milliseconds and days from 1970 to 2000, where PostgreSQL begins to count. */
const EPOCH = 946_684_800_000
const EPOCH_DAYS = 10_957

/** A `bigint[]` of whole numbers within 2^53. */
export function int8Array(values: ArrayLike<number>): Buffer {
  return arrayOf(INT8, 8, values.length, (view, offset, index) => {
    setInt64(view, offset, values[index] as number)
  })
}

/** An `integer[]` of whole numbers within 2^31. */
export function int4Array(values: ArrayLike<number>): Buffer {
  return arrayOf(INT4, 4, values.length, (view, offset, index) => {
    view.setInt32(offset, values[index] as number)
  })
}

/** A `bytea[]`. */
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

export type ByteaWriter = ReturnType<typeof createByteaWriter>

/**
 * Makes an array of byte strings whose values are written in place: each begins with `begin`, is put
 * into `bytes` from the offset that this gives, and ends with `end`.
 */
export function createByteaWriter() {
  let bytes = Buffer.allocUnsafe(INITIAL_SIZE)
  let filled = ARRAY_HEADER
  let count = 0
  return {
    get bytes(): Buffer {
      return bytes
    },

    /** Makes room for the next value, which has at most so many bytes; gives where it begins. */
    begin(most: number): number {
      const begins = filled + LENGTH
      if (begins + most > bytes.length) {
        const larger = Buffer.allocUnsafe(2 * (begins + most))
        bytes.copy(larger, 0, 0, filled)
        bytes = larger
      }
      return begins
    },

    /** Ends the value at this offset. */
    end(offset: number): void {
      bytes.writeInt32BE(offset - filled - LENGTH, filled)
      filled = offset
      count += 1
    },

    /** The whole array; nothing may be written after it. */
    finish(): Buffer {
      writeArrayHeader(bytes, BYTEA, count)
      return bytes.subarray(0, filled)
    },
  }
}

/** Days since 1970 as dates. */
export function dateArray(days: ArrayLike<number>): Buffer {
  return arrayOf(DATE, 4, days.length, (view, offset, index) => {
    view.setInt32(offset, (days[index] as number) - EPOCH_DAYS)
  })
}

/** Milliseconds since 1970 as timestamps. */
export function timestampArray(times: ArrayLike<number>): Buffer {
  return arrayOf(TIMESTAMPTZ, 8, times.length, (view, offset, index) => {
    setInt64(view, offset, toMicroseconds(times[index] as number))
  })
}

/** Milliseconds since 1970 in PostgreSQL's unit, microseconds since 2000. */
function toMicroseconds(time: number): number {
  return (time - EPOCH) * 1000
}

/** Writes a whole number within 2^53 as 64 bits, which is quicker than by way of `BigInt`. */
function setInt64(view: DataView, offset: number, value: number): void {
  const high = Math.floor(value / 0x1_0000_0000)
  view.setInt32(offset, high)
  view.setUint32(offset + 4, value - high * 0x1_0000_0000)
}

function arrayOf(
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

/** One dimension, no nulls, the elements' type, how many there are, and the first one's offset. */
function writeArrayHeader(buffer: Buffer, type: number, count: number): void {
  for (const [index, value] of [1, 0, type, count, 1].entries()) {
    buffer.writeInt32BE(value, index * 4)
  }
}
