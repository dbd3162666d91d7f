import { readOrientation } from './exif-orientation.ts'
import { PictureError, type PictureHeader, tooLarge } from './logo-bounds.ts'

/** Markers (ITU-T T.81, table B.1), without the 0xff before each. */
const SOI = 0xd8
const EOI = 0xd9
const SOS = 0xda
const COM = 0xfe
const APP0 = 0xe0
const APP1 = 0xe1
const APP14 = 0xee
const APP15 = 0xef
/** Tables, restart intervals and scans. */
const PARTS = [0xc4, 0xdb, 0xdd, SOS]
/** Frames that libraries read: baseline, extended and progressive, all with Huffman codes. */
const FRAMES = [0xc0, 0xc1, 0xc2]
const PROGRESSIVE = 0xc2

/** Encoders make up to 26 of them; each costs a decoder a walk over the whole picture. */
const mostScans = 32

/** What an application's segment must begin with to be kept: how the colours are to be read. */
const kept: Record<number, string> = { [APP0]: 'JFIF\0', [APP14]: 'Adobe' }

/** How a picture lies, from 1 (upright) to 8, as Exif counts it. */
export type CleanJpeg = { bytes: Buffer; orientation: number }

/** Whether bytes begin as a JPEG does. */
export function isJpeg(bytes: Buffer): boolean {
  return bytes.subarray(0, 3).equals(Buffer.from([0xff, SOI, 0xff]))
}

/**
 * A JPEG with nothing in it but its pixels: profiles, previews, comments and what follows its end are
 * cut off; of what its camera wrote, only how it lies is read.
 *
 * @throws PictureError when it has no end, is malformed, or takes too much to be decoded
 */
export function cleanJpeg(bytes: Buffer): CleanJpeg {
  const parts = [bytes.subarray(0, 2)]
  let frame: Frame | undefined
  let scans = 0
  let orientation = 1
  for (const { marker, data, whole } of segmentsOf(bytes)) {
    if (marker === APP1) orientation = readOrientation(data) ?? orientation
    if (!isNeeded(marker, data)) continue
    if (FRAMES.includes(marker)) {
      if (frame) throw new PictureError()
      frame = readFrame(marker, data)
    }
    if (marker === SOS) scans += 1
    if (scans > mostScans || (scans > 0 && !frame)) throw new PictureError()
    parts.push(whole)
  }
  if (!frame || scans === 0) throw new PictureError()
  const held = frame.isProgressive || scans > 1 ? frame.coefficientBytes : 0
  const problem = tooLarge({ ...frame, heldBytes: held })
  if (problem) throw new PictureError(problem)
  return { bytes: Buffer.concat([...parts, Buffer.from([0xff, EOI])]), orientation }
}

/** The segments up to the end of the picture; a scan's holds the coded pixels that follow it. */
function* segmentsOf(bytes: Buffer) {
  let at = 2
  for (;;) {
    if (bytes[at] !== 0xff) throw new PictureError()
    // Any number of 0xff may stand before a marker (B.1.1.2).
    while (bytes[at + 1] === 0xff) at += 1
    const marker = bytes[at + 1]
    if (marker === EOI) return
    if (marker === undefined || at + 4 > bytes.length) throw new PictureError()
    const length = bytes.readUInt16BE(at + 2)
    const end = at + 2 + length
    if (length < 2 || end > bytes.length) throw new PictureError()
    const next = marker === SOS ? endOfScan(bytes, end) : end
    yield { marker, data: bytes.subarray(at + 4, end), whole: bytes.subarray(at, next) }
    at = next
  }
}

/** Coded pixels end at a marker; 0xff 0x00 is a byte of theirs, and restart marks belong to them. */
function endOfScan(bytes: Buffer, start: number): number {
  for (let at = bytes.indexOf(0xff, start); at !== -1; at = bytes.indexOf(0xff, at + 2)) {
    const next = bytes[at + 1] ?? 0
    if (next !== 0 && (next < 0xd0 || next > 0xd7)) return at
  }
  throw new PictureError()
}

function isNeeded(marker: number, data: Buffer): boolean {
  if (marker === COM) return false
  if (marker >= APP0 && marker <= APP15) {
    const start = kept[marker]
    return start !== undefined && data.toString('latin1', 0, start.length) === start
  }
  // Arithmetic codes, frames in layers and the like: hardly any library reads them.
  if (!PARTS.includes(marker) && !FRAMES.includes(marker)) throw new PictureError()
  return true
}

type Frame = Omit<PictureHeader, 'heldBytes'> & { isProgressive: boolean; coefficientBytes: number }

/** B.2.2 */
function readFrame(marker: number, data: Buffer): Frame {
  const channels = data[5] ?? 0
  if (data[0] !== 8 || ![1, 3, 4].includes(channels) || data.length !== 6 + 3 * channels) {
    throw new PictureError()
  }
  const height = data.readUInt16BE(1)
  const width = data.readUInt16BE(3)
  const factors = Array.from({ length: channels }, (_, index) => {
    const factor = data[7 + 3 * index] ?? 0
    return { across: factor >> 4, down: factor & 15 }
  })
  const isSound = factors.every(({ across, down }) => isFactor(across) && isFactor(down))
  if (!isSound || width === 0 || height === 0) throw new PictureError()
  const widest = Math.max(...factors.map(({ across }) => across))
  const tallest = Math.max(...factors.map(({ down }) => down))
  const samples = factors.reduce((sum, { across, down }) => sum + across * down, 0)
  return {
    width,
    height,
    pixelBytes: channels,
    isProgressive: marker === PROGRESSIVE,
    // Two bytes each.
    coefficientBytes: (2 * width * height * samples) / (widest * tallest),
  }
}

function isFactor(value: number): boolean {
  return value >= 1 && value <= 4
}
