import { crc32 } from 'node:zlib'

/**
 * Why a visit does not count as a click, if its User-Agent does not say so. Numbered by position in
 * the journal: never change the order.
 */
export const UNCOUNTED_REASONS = ['prefetch', 'head', 'robot'] as const
export type UncountedReason = (typeof UNCOUNTED_REASONS)[number]

/** The recorded data of a visit. The importer derives everything else from it. */
export type ClickRecord = {
  linkId: number
  /** Milliseconds since 1970. */
  at: number
  /** The visitor's IP address. */
  address: string
  /** Header values as Node.js provides them, with one character per byte. */
  userAgent: string
  referrer: string
  /** The `Accept-Language` header. */
  languages: string
  /** The label of the destination that a split link selected. */
  variant?: string | undefined
  /** The country code that a trusted proxy reported, of two letters. */
  country?: string | undefined
  /** Whether the click comes from a scan of a QR code. */
  isScan?: boolean | undefined
  /** Whether it came over https without the headers that browsers send there. */
  lacksBrowserHeaders?: boolean | undefined
  uncounted?: UncountedReason | undefined
}

export type Frames = {
  records: ClickRecord[]
  /** Where to continue reading, which is after the last complete frame. */
  offset: number
  /** The number of damaged bytes skipped before `offset`. */
  skippedBytes: number
  /** Whether the bytes after `offset` do not form a complete frame, at least not yet. */
  hasPartialEnd: boolean
}

/**
 * The size of a frame header: magic number, length, and CRC-32 of the payload, each a little-endian
 * u32.
 */
export const FRAME_HEADER = 12
/** The longest frame. A header with a larger length is damaged. */
export const MAX_FRAME = 1 << 20
const RECORD_HEADER = 27
/**
 * The size of a record's header by format version. Version 1 has no field for the length of the
 * languages, version 2 none for the country, version 3 none for why a visit does not count.
 */
const HEADERS = [0, 22, 24, 26, RECORD_HEADER] as const
/** The maximum number of bytes stored of each text. */
const MAX_BYTES = { address: 64, userAgent: 512, referrer: 1024, languages: 64, variant: 253 }
/** The flags in the country code, whose letters need 7 bits each. */
const SCAN = 0x80_00
const LACKS_BROWSER_HEADERS = 0x00_80
/** The longest record. */
export const MAX_RECORD =
  RECORD_HEADER +
  MAX_BYTES.address +
  MAX_BYTES.userAgent +
  MAX_BYTES.referrer +
  MAX_BYTES.languages +
  MAX_BYTES.variant

// The last byte is the format version. The first byte is invalid in UTF-8, so text is never
// mistaken for a frame. After an upgrade, a journal may still contain frames of previous versions.
const MAGIC = 0x04_4b_4c_ff
const VERSION = 4
const MAGIC_BYTES = Buffer.of(0xff, 0x4c, 0x4b)
const VERSIONS: ReadonlyMap<number, Version> = new Map([
  [0x01_4b_4c_ff, 1],
  [0x02_4b_4c_ff, 2],
  [0x03_4b_4c_ff, 3],
  [MAGIC, VERSION],
])
// Until then, a number represents microseconds since 2000 (PostgreSQL's unit) exactly.
const MAX_TIME = Date.UTC(2280, 0, 1)

/**
 * Writes a record to `target` at `offset`, with texts truncated to their maximum size. Returns
 * the end offset.
 */
export function writeRecord(target: Buffer, offset: number, click: ClickRecord): number {
  const address = truncate(click.address, MAX_BYTES.address)
  const userAgent = truncate(click.userAgent, MAX_BYTES.userAgent)
  const referrer = truncate(click.referrer, MAX_BYTES.referrer)
  const languages = truncateList(click.languages, MAX_BYTES.languages)
  target.writeDoubleLE(click.linkId, offset)
  target.writeDoubleLE(click.at, offset + 8)
  target.writeUInt16LE(address.length, offset + 16)
  target.writeUInt16LE(userAgent.length, offset + 18)
  target.writeUInt16LE(referrer.length, offset + 20)
  const variant = truncate(click.variant ?? '', MAX_BYTES.variant)
  // Both are one byte. The second one is 0 in records from before variants existed.
  target.writeUInt8(languages.length, offset + 22)
  target.writeUInt8(variant.length, offset + 23)
  const flags = (click.isScan ? SCAN : 0) | (click.lacksBrowserHeaders ? LACKS_BROWSER_HEADERS : 0)
  target.writeUInt16LE(packCountry(click.country) | flags, offset + 24)
  target.writeUInt8(packReason(click.uncounted), offset + 26)
  const end = offset + RECORD_HEADER
  return end + target.write(address + userAgent + referrer + languages + variant, end, 'latin1')
}

/** Turns `buffer` into a frame. The payload, from byte 12 to `end`, must already be in it. */
export function sealFrame(buffer: Buffer, end: number): Buffer {
  buffer.writeUInt32LE(MAGIC, 0)
  buffer.writeUInt32LE(end - FRAME_HEADER, 4)
  buffer.writeUInt32LE(checksum(buffer, 0, end, VERSION), 8)
  return buffer.subarray(0, end)
}

/**
 * Reads complete frames from the start of `buffer` until at least `limit` records are found. Skips
 * damaged bytes only if a complete frame follows, because they may belong to a frame that is still
 * being written.
 */
export function readFrames(buffer: Buffer, limit = Number.POSITIVE_INFINITY): Frames {
  const records: ClickRecord[] = []
  let offset = 0
  let skippedBytes = 0
  while (offset < buffer.length && records.length < limit) {
    const start = readFrameLength(buffer, offset) > 0 ? offset : findNextFrame(buffer, offset + 1)
    if (start === -1) return { records, offset, skippedBytes, hasPartialEnd: true }
    skippedBytes += start - offset
    const end = start + readFrameLength(buffer, start)
    if (!readRecords(buffer, start, end, records)) skippedBytes += end - start
    offset = end
  }
  return { records, offset, skippedBytes, hasPartialEnd: false }
}

/** Returns the length of the complete, undamaged frame at `offset`, or 0 if there is none. */
function readFrameLength(buffer: Buffer, offset: number): number {
  const version = offset + FRAME_HEADER > buffer.length ? undefined : readVersion(buffer, offset)
  if (version === undefined) return 0
  const length = buffer.readUInt32LE(offset + 4)
  const end = offset + FRAME_HEADER + length
  if (length === 0 || length > MAX_FRAME || end > buffer.length) return 0
  const isIntact = checksum(buffer, offset, end, version) === buffer.readUInt32LE(offset + 8)
  return isIntact ? FRAME_HEADER + length : 0
}

type Version = 1 | 2 | 3 | 4

function readVersion(buffer: Buffer, offset: number): Version | undefined {
  return VERSIONS.get(buffer.readUInt32LE(offset))
}

/**
 * Returns the checksum of a frame. It includes the version, so that damage to the version is
 * detected. Version 1 did not include it.
 */
function checksum(buffer: Buffer, offset: number, end: number, version: Version): number {
  return crc32(buffer.subarray(offset + FRAME_HEADER, end), version === 1 ? 0 : version)
}

function findNextFrame(buffer: Buffer, from: number): number {
  let candidate = findCandidate(buffer, from)
  while (candidate < buffer.length && readFrameLength(buffer, candidate) === 0) {
    candidate = findCandidate(buffer, candidate + 1)
  }
  return candidate < buffer.length ? candidate : -1
}

/** Returns the next offset at which the bytes look like the start of a frame. */
export function findCandidate(buffer: Buffer, from: number): number {
  const candidate = buffer.indexOf(MAGIC_BYTES, from)
  return candidate === -1 ? buffer.length : candidate
}

/**
 * Appends the records in the frame between two offsets. Returns false if they do not fill the frame
 * exactly.
 */
function readRecords(buffer: Buffer, from: number, to: number, records: ClickRecord[]): boolean {
  const countBefore = records.length
  const version = readVersion(buffer, from) ?? VERSION
  const header = HEADERS[version]
  let offset = from + FRAME_HEADER
  while (offset + header <= to) {
    const linkId = buffer.readDoubleLE(offset)
    const at = buffer.readDoubleLE(offset + 8)
    const addressEnd = offset + header + buffer.readUInt16LE(offset + 16)
    const userAgentEnd = addressEnd + buffer.readUInt16LE(offset + 18)
    const referrerEnd = userAgentEnd + buffer.readUInt16LE(offset + 20)
    const languagesEnd = referrerEnd + (version === 1 ? 0 : buffer.readUInt8(offset + 22))
    const end = languagesEnd + (version === 1 ? 0 : buffer.readUInt8(offset + 23))
    if (end > to) break
    const flagged = version < 3 ? 0 : buffer.readUInt16LE(offset + 24)
    const country = flagged & ~(SCAN | LACKS_BROWSER_HEADERS)
    const uncounted = version < 4 ? undefined : unpackReason(buffer.readUInt8(offset + 26))
    if (Number.isSafeInteger(linkId) && linkId > 0 && at >= 0 && at <= MAX_TIME) {
      records.push({
        linkId,
        at: Math.trunc(at),
        address: buffer.toString('latin1', offset + header, addressEnd),
        userAgent: buffer.toString('latin1', addressEnd, userAgentEnd),
        referrer: buffer.toString('latin1', userAgentEnd, referrerEnd),
        languages: buffer.toString('latin1', referrerEnd, languagesEnd),
        ...(end > languagesEnd && { variant: buffer.toString('latin1', languagesEnd, end) }),
        ...(country !== 0 && { country: String.fromCharCode(country & 0xff, country >> 8) }),
        ...((flagged & SCAN) !== 0 && { isScan: true }),
        ...((flagged & LACKS_BROWSER_HEADERS) !== 0 && { lacksBrowserHeaders: true }),
        ...(uncounted !== undefined && { uncounted }),
      })
    }
    offset = end
  }
  if (offset === to) return true
  records.length = countBefore
  return false
}

/** Returns the two letters of a country code as a number, or 0 if there is none. */
function packCountry(code: string | undefined): number {
  return code === undefined ? 0 : code.charCodeAt(0) | (code.charCodeAt(1) << 8)
}

/** Returns the number of a reason, or 0 if there is none. */
function packReason(reason: UncountedReason | undefined): number {
  return reason === undefined ? 0 : UNCOUNTED_REASONS.indexOf(reason) + 1
}

/** Returns the reason with a number. An unknown number is one of a later version. */
function unpackReason(number: number): UncountedReason | undefined {
  return number === 0 ? undefined : (UNCOUNTED_REASONS[number - 1] ?? 'robot')
}

function truncate(value: string, length: number): string {
  return value.length > length ? value.slice(0, length) : value
}

/**
 * Truncates a comma-separated list at a comma, because part of an entry may have another meaning.
 */
function truncateList(value: string, length: number): string {
  return value.length > length ? value.slice(0, Math.max(0, value.lastIndexOf(',', length))) : value
}
