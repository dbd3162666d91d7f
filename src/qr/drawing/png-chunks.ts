import { crc32 } from 'node:zlib'
import { PictureError, type PictureHeader, tooLarge } from './logo-bounds.ts'

const SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')

/** Bytes around a chunk's data: length and type before it, checksum behind it. */
const FRAME = 12

/**
 * The chunks that a picture is made of, with the lengths that they may have. Others (texts, profiles,
 * frames of an animation) may unpack to very much, and the pixels need none of them.
 */
const kept: Record<string, readonly [least: number, most: number]> = {
  IHDR: [13, 13],
  PLTE: [3, 768],
  tRNS: [1, 256],
  gAMA: [4, 4],
  cHRM: [32, 32],
  sRGB: [1, 1],
  IDAT: [0, Number.POSITIVE_INFINITY],
  IEND: [0, 0],
}

/** Bit depths of each colour type, and its channels once it is decoded (PNG, third edition, 11.2.1). */
const colorTypes: Record<number, { depths: readonly number[]; channels: number }> = {
  0: { depths: [1, 2, 4, 8, 16], channels: 1 },
  2: { depths: [8, 16], channels: 3 },
  3: { depths: [1, 2, 4, 8], channels: 3 },
  4: { depths: [8, 16], channels: 2 },
  6: { depths: [8, 16], channels: 4 },
}

/** Whether bytes begin as a PNG does. */
export function isPng(bytes: Buffer): boolean {
  return bytes.subarray(0, SIGNATURE.length).equals(SIGNATURE)
}

/**
 * A PNG with nothing in it but its pixels and what they mean. What follows its end is cut off.
 *
 * @throws PictureError when it has no end, is malformed, damaged, or too large to be decoded
 */
export function cleanPng(bytes: Buffer): Buffer {
  const parts: Buffer[] = [SIGNATURE]
  const types: string[] = []
  let header: Buffer | undefined
  let at = SIGNATURE.length
  while (types.at(-1) !== 'IEND') {
    const { type, data, whole } = readChunk(bytes, at)
    at += whole.length
    const lengths = kept[type]
    // A decoder must not go on without a critical chunk that it does not know (5.4).
    if (!lengths && isCritical(type)) throw new PictureError()
    if (!lengths) continue
    if (data.length < lengths[0] || data.length > lengths[1]) throw new PictureError()
    if (crc32(whole.subarray(4, -4)) !== whole.readUInt32BE(whole.length - 4)) {
      throw new PictureError()
    }
    if ((type === 'IHDR') !== (types.length === 0)) throw new PictureError()
    header ??= data
    types.push(type)
    parts.push(whole)
  }
  if (!header || !types.includes('IDAT')) throw new PictureError()
  const problem = tooLarge(readHeader(header, types.includes('tRNS')))
  if (problem) throw new PictureError(problem)
  return Buffer.concat(parts)
}

function readChunk(bytes: Buffer, at: number) {
  if (at + FRAME > bytes.length) throw new PictureError()
  const end = at + FRAME + bytes.readUInt32BE(at)
  const type = bytes.toString('latin1', at + 4, at + 8)
  if (end > bytes.length || !/^[A-Za-z]{4}$/.test(type)) throw new PictureError()
  return { type, data: bytes.subarray(at + 8, end - 4), whole: bytes.subarray(at, end) }
}

/** The case of the first letter says so (5.4). */
function isCritical(type: string): boolean {
  return /^[A-Z]/.test(type)
}

function readHeader(header: Buffer, hasTransparency: boolean): PictureHeader {
  const width = header.readUInt32BE(0)
  const height = header.readUInt32BE(4)
  const [depth = 0, color = 0, compression, filter, interlace = 0] = header.subarray(8)
  const known = colorTypes[color]
  if (!known?.depths.includes(depth) || interlace > 1) throw new PictureError()
  if (compression !== 0 || filter !== 0 || width === 0 || height === 0) {
    throw new PictureError()
  }
  const channels = known.channels + (hasTransparency ? 1 : 0)
  const pixelBytes = channels * (depth === 16 ? 2 : 1)
  return { width, height, pixelBytes, heldBytes: interlace * width * height * pixelBytes }
}
