import { crc32 } from 'node:zlib'

/** What is known of a click when it happens; everything else is worked out by the importer. */
export type ClickRecord = {
  linkId: number
  /** Milliseconds since the epoch. */
  at: number
  address: string
  /** Header values as Node.js gives them: one character for each byte. */
  userAgent: string
  referrer: string
  /** The `Accept-Language` header. */
  languages: string
}

export type Frames = {
  records: ClickRecord[]
  /** Where reading goes on: after the last whole frame. */
  offset: number
  /** Bytes before `offset` that belong to no whole frame: damage that was stepped over. */
  skipped: number
  /** Whether bytes follow `offset` that are no whole frame (yet). */
  tail: boolean
}

/** Header of a frame: magic, length and CRC-32 of the payload, each a little-endian u32. */
export const FRAME_HEADER = 12
/** No frame is longer; a header that says so is damaged. */
export const MAX_FRAME = 1 << 20
const RECORD_HEADER = 24
/** Records of format 1 end before the length of the languages, which they do not have. */
const HEADERS = [0, 22, RECORD_HEADER] as const
/** What is kept of each header, in bytes. */
const MOST = { address: 64, userAgent: 512, referrer: 1024, languages: 64 }
/** No record is longer. */
export const MAX_RECORD =
  RECORD_HEADER + MOST.address + MOST.userAgent + MOST.referrer + MOST.languages

// The last byte is the format's version; as the first is no UTF-8, text is never taken for a frame.
// A journal may hold frames of the version before, written until the program was replaced.
const MAGIC = 0x02_4b_4c_ff
const MAGIC_BYTES = Buffer.of(0xff, 0x4c, 0x4b)
const VERSIONS: ReadonlyMap<number, Version> = new Map([
  [0x01_4b_4c_ff, 1],
  [MAGIC, 2],
])
// Until then microseconds since 2000, PostgreSQL's unit, are exact in a number.
const MAX_TIME = Date.UTC(2280, 0, 1)

/** Writes a record into `target` at `offset`, its headers cut to a bounded size; gives the end. */
export function writeRecord(target: Buffer, offset: number, click: ClickRecord): number {
  const address = cut(click.address, MOST.address)
  const userAgent = cut(click.userAgent, MOST.userAgent)
  const referrer = cut(click.referrer, MOST.referrer)
  const languages = cutList(click.languages, MOST.languages)
  target.writeDoubleLE(click.linkId, offset)
  target.writeDoubleLE(click.at, offset + 8)
  target.writeUInt16LE(address.length, offset + 16)
  target.writeUInt16LE(userAgent.length, offset + 18)
  target.writeUInt16LE(referrer.length, offset + 20)
  target.writeUInt16LE(languages.length, offset + 22)
  const end = offset + RECORD_HEADER
  return end + target.write(address + userAgent + referrer + languages, end, 'latin1')
}

/** Turns `buffer` into a frame whose payload, from byte 12 to `end`, has been written already. */
export function sealFrame(buffer: Buffer, end: number): Buffer {
  buffer.writeUInt32LE(MAGIC, 0)
  buffer.writeUInt32LE(end - FRAME_HEADER, 4)
  buffer.writeUInt32LE(checksum(buffer, 0, end, 2), 8)
  return buffer.subarray(0, end)
}

/**
 * Reads whole frames from the beginning of `buffer` until at least `limit` records are found. What
 * is no frame is stepped over only if a whole one follows it; otherwise it may still be growing.
 */
export function readFrames(buffer: Buffer, limit = Number.POSITIVE_INFINITY): Frames {
  const records: ClickRecord[] = []
  let offset = 0
  let skipped = 0
  while (offset < buffer.length && records.length < limit) {
    const start = frameLength(buffer, offset) > 0 ? offset : nextFrame(buffer, offset + 1)
    if (start === -1) return { records, offset, skipped, tail: true }
    skipped += start - offset
    const end = start + frameLength(buffer, start)
    if (!readRecords(buffer, start, end, records)) skipped += end - start
    offset = end
  }
  return { records, offset, skipped, tail: false }
}

/** The length of the whole and undamaged frame at `offset`, or 0 if there is none. */
function frameLength(buffer: Buffer, offset: number): number {
  const version = offset + FRAME_HEADER > buffer.length ? undefined : versionOf(buffer, offset)
  if (version === undefined) return 0
  const length = buffer.readUInt32LE(offset + 4)
  const end = offset + FRAME_HEADER + length
  if (length === 0 || length > MAX_FRAME || end > buffer.length) return 0
  const intact = checksum(buffer, offset, end, version) === buffer.readUInt32LE(offset + 8)
  return intact ? FRAME_HEADER + length : 0
}

type Version = 1 | 2

function versionOf(buffer: Buffer, offset: number): Version | undefined {
  return VERSIONS.get(buffer.readUInt32LE(offset))
}

/** Begins with the version, so that damage to that is noticed as well; version 1 did not. */
function checksum(buffer: Buffer, offset: number, end: number, version: Version): number {
  return crc32(buffer.subarray(offset + FRAME_HEADER, end), version === 1 ? 0 : version)
}

function nextFrame(buffer: Buffer, from: number): number {
  let found = nextCandidate(buffer, from)
  while (found < buffer.length && frameLength(buffer, found) === 0) {
    found = nextCandidate(buffer, found + 1)
  }
  return found < buffer.length ? found : -1
}

/** The next offset at which a frame may begin, judged by its first bytes alone. */
export function nextCandidate(buffer: Buffer, from: number): number {
  const found = buffer.indexOf(MAGIC_BYTES, from)
  return found === -1 ? buffer.length : found
}

/** Adds the records of the frame between two offsets; false if they do not fill it exactly. */
function readRecords(buffer: Buffer, from: number, to: number, records: ClickRecord[]): boolean {
  const before = records.length
  const version = versionOf(buffer, from) ?? 2
  const header = HEADERS[version]
  let offset = from + FRAME_HEADER
  while (offset + header <= to) {
    const linkId = buffer.readDoubleLE(offset)
    const at = buffer.readDoubleLE(offset + 8)
    const addressEnd = offset + header + buffer.readUInt16LE(offset + 16)
    const userAgentEnd = addressEnd + buffer.readUInt16LE(offset + 18)
    const referrerEnd = userAgentEnd + buffer.readUInt16LE(offset + 20)
    const end = referrerEnd + (version === 1 ? 0 : buffer.readUInt16LE(offset + 22))
    if (end > to) break
    if (Number.isSafeInteger(linkId) && linkId > 0 && at >= 0 && at <= MAX_TIME) {
      records.push({
        linkId,
        at: Math.trunc(at),
        address: buffer.toString('latin1', offset + header, addressEnd),
        userAgent: buffer.toString('latin1', addressEnd, userAgentEnd),
        referrer: buffer.toString('latin1', userAgentEnd, referrerEnd),
        languages: buffer.toString('latin1', referrerEnd, end),
      })
    }
    offset = end
  }
  if (offset === to) return true
  records.length = before
  return false
}

function cut(value: string, length: number): string {
  return value.length > length ? value.slice(0, length) : value
}

/** Cuts a list at a comma, since half an entry may mean another one. */
function cutList(value: string, length: number): string {
  return value.length > length ? value.slice(0, Math.max(0, value.lastIndexOf(',', length))) : value
}
