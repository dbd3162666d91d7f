import { promisify } from 'node:util'
import { crc32, deflate } from 'node:zlib'
import type { Rgb } from './color.ts'

const compress = promisify(deflate)

const SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')

/** Row filters (PNG, third edition, 9.2): no filter, and the difference from the row above. */
const FILTER_NONE = 0
const FILTER_UP = 2

/**
 * Encodes a square image that has many repeated rows. The rows are unfiltered bytes: one bit per
 * pixel if `palette` has two colors, otherwise three bytes per pixel. A row that is the same buffer
 * as the previous one compresses almost for free.
 */
export async function encodePng(
  rows: readonly Buffer[],
  palette?: readonly Rgb[],
): Promise<Buffer> {
  const size = rows.length
  const length = (rows[0]?.length ?? 0) + 1
  const pixels = Buffer.alloc(size * length)
  for (const [y, row] of rows.entries()) {
    const isRepeated = row === rows[y - 1]
    pixels[y * length] = isRepeated ? FILTER_UP : FILTER_NONE
    if (!isRepeated) row.copy(pixels, y * length + 1)
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(size)
  header.writeUInt32BE(size, 4)
  // The bits per sample and the color type: palette or truecolor.
  header.set(palette ? [1, 3] : [8, 2], 8)
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    palette ? chunk('PLTE', Buffer.from(palette.flat())) : Buffer.alloc(0),
    chunk('IDAT', await compress(pixels, { level: 1 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(type: string, data: Buffer): Buffer {
  const bytes = Buffer.alloc(data.length + 12)
  bytes.writeUInt32BE(data.length)
  bytes.write(type, 4, 'latin1')
  data.copy(bytes, 8)
  bytes.writeUInt32BE(crc32(bytes.subarray(4, -4)), data.length + 8)
  return bytes
}
