import { crc32, deflateSync } from 'node:zlib'

/** Malicious images for tests. */

const SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')

/** Returns a PNG chunk with its length and checksum. */
export function createChunk(type: string, data: Buffer = Buffer.alloc(0)): Buffer {
  const bytes = Buffer.alloc(data.length + 12)
  bytes.writeUInt32BE(data.length)
  bytes.write(type, 4, 'latin1')
  data.copy(bytes, 8)
  bytes.writeUInt32BE(crc32(Buffer.concat([Buffer.from(type, 'latin1'), data])), data.length + 8)
  return bytes
}

type Header = {
  width?: number
  height?: number
  depth?: number
  color?: number
  interlace?: number
}

/** Returns the header chunk of a PNG. */
export function createHeader(fields: Header = {}): Buffer {
  const { width = 8, height = 8, depth = 8, color = 2, interlace = 0 } = fields
  const data = Buffer.alloc(13)
  data.writeUInt32BE(width)
  data.writeUInt32BE(height, 4)
  data.set([depth, color, 0, 0, interlace], 8)
  return createChunk('IHDR', data)
}

/** Returns a PNG with these chunks. */
export function createPng(...chunks: Buffer[]): Buffer {
  return Buffer.concat([SIGNATURE, ...chunks])
}

/**
 * Returns highly compressed black pixels, `length` bytes when decompressed. By default, they fill 8
 * by 8 pixels: each row has a filter byte and 3 bytes per pixel.
 */
export function createPixels(length = 8 * 25): Buffer {
  return createChunk('IDAT', deflateSync(Buffer.alloc(length), { level: 9 }))
}

/** Returns a PNG of 8 by 8 pixels with 18 compressed texts of 50 MB each. */
export function createTextBomb(): Buffer {
  const text = deflateSync(Buffer.alloc(50_000_000, 'a'), { level: 9 })
  const data = Buffer.concat([Buffer.from('Comment\0\0', 'latin1'), text])
  return createPng(
    createHeader(),
    ...Array(18).fill(createChunk('zTXt', data)),
    createPixels(),
    createChunk('IEND'),
  )
}

/** Returns a JPEG segment with its length. */
export function createSegment(marker: number, data: Buffer): Buffer {
  const bytes = Buffer.alloc(data.length + 4)
  bytes.set([0xff, marker])
  bytes.writeUInt16BE(data.length + 2, 2)
  data.copy(bytes, 4)
  return bytes
}

/** Inserts segments after the start of a JPEG. */
export function insertSegments(jpeg: Buffer, ...segments: Buffer[]): Buffer {
  return Buffer.concat([jpeg.subarray(0, 2), ...segments, jpeg.subarray(2)])
}

/** Returns an Exif segment with an orientation. */
export function createExif(orientation: number): Buffer {
  // A TIFF header and a directory with one entry, which is the orientation (tag 0x0112).
  const tiff = Buffer.alloc(26)
  tiff.write('MM', 0, 'latin1')
  tiff.writeUInt16BE(42, 2)
  tiff.writeUInt32BE(8, 4)
  tiff.writeUInt16BE(1, 8)
  tiff.writeUInt16BE(0x0112, 10)
  tiff.writeUInt16BE(3, 12)
  tiff.writeUInt32BE(1, 14)
  tiff.writeUInt16BE(orientation, 18)
  return createSegment(0xe1, Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), tiff]))
}
