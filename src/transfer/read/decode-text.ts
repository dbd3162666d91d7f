import { isUtf8 } from 'node:buffer'
import { SourceError } from '../record.ts'

/** Opens a file as UTF-8 at the start. `isCounted` reports how much has been read. */
export type OpenText = (options?: { isCounted?: boolean }) => AsyncIterable<Buffer>

const MAX_CHARACTER_BYTES = 4

/**
 * Yields a text file as UTF-8. Converts UTF-16 with a byte order mark.
 *
 * @throws SourceError naming the first line that is not text
 */
export async function* decodeText(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  let decode: Decode | undefined
  let waiting: Buffer | undefined
  for await (const next of chunks) {
    const chunk = waiting ? Buffer.concat([waiting, next]) : next
    // The byte order mark may be split between chunks.
    waiting = decode === undefined && chunk.length < 2 ? chunk : undefined
    if (waiting) continue
    decode ??= createDecoder(chunk)
    const text = decode(chunk)
    if (text.length > 0) yield text
  }
  decode ??= createDecoder(waiting ?? Buffer.alloc(0))
  const rest = decode(waiting ?? Buffer.alloc(0), { isLast: true })
  if (rest.length > 0) yield rest
}

type Decode = (chunk: Buffer, options?: { isLast?: boolean }) => Buffer

function createDecoder([first, second]: Buffer): Decode {
  if (first === 0xff && second === 0xfe) return createUtf16Decoder('utf-16le')
  if (first === 0xfe && second === 0xff) return createUtf16Decoder('utf-16be')
  return createUtf8Check()
}

function createUtf16Decoder(encoding: string): Decode {
  const decoder = new TextDecoder(encoding, { fatal: true })
  const countLines = createLineCounter()
  let line = 1
  return function decode(chunk, { isLast = false } = {}) {
    let text: string
    try {
      text = decoder.decode(chunk, { stream: !isLast })
    } catch {
      throw new SourceError('not_utf16', { line })
    }
    if (text.includes('\0')) throw new SourceError('not_text')
    const bytes = Buffer.from(text)
    line += countLines(bytes)
    return bytes
  }
}

/** Creates the function that returns chunks unchanged after checking that they are UTF-8. */
function createUtf8Check(): Decode {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const countLines = createLineCounter()
  let line = 1
  /** The end of the previous chunk, which may be the start of a character. */
  let before = Buffer.alloc(0)
  return function check(chunk, { isLast = false } = {}) {
    const bytes = () => Buffer.concat([before, chunk])
    try {
      decoder.decode(chunk, { stream: !isLast })
    } catch {
      throw new SourceError('not_utf8', { line: line + countValidLines(bytes()) })
    }
    if (chunk.includes(0)) throw new SourceError('not_text')
    line += countLines(chunk)
    before = cutLastCharacter(chunk.length < MAX_CHARACTER_BYTES ? bytes() : chunk)
    return chunk
  }
}

/** Returns up to three bytes from the end, starting with the first byte of a character. */
function cutLastCharacter(bytes: Buffer): Buffer<ArrayBuffer> {
  const lineStart = Math.max(bytes.lastIndexOf(LF), bytes.lastIndexOf(CR)) + 1
  let start = Math.max(lineStart, bytes.length - MAX_CHARACTER_BYTES + 1)
  while (start < bytes.length && (Number(bytes[start]) & 0xc0) === 0x80) start += 1
  return Buffer.from(bytes.subarray(start))
}

/** Creates the function that counts the line breaks of consecutive chunks. */
function createLineCounter(): (bytes: Buffer) => number {
  let endsWithCr = false
  return function count(bytes) {
    let count = endsWithCr && bytes[0] === LF ? -1 : 0
    for (const _ of findLineBreaks(bytes)) count += 1
    if (bytes.length > 0) endsWithCr = bytes.at(-1) === CR
    return count
  }
}

/** Counts the lines before the first one that is not UTF-8. */
function countValidLines(bytes: Buffer): number {
  let start = 0
  let count = 0
  for (const { end, next } of findLineBreaks(bytes)) {
    if (!isUtf8(bytes.subarray(start, end))) break
    count += 1
    start = next
  }
  return count
}

/**
 * A line of a file, its number, starting at 1, and its size in bytes. `text` is undefined if the
 * line is too long.
 */
type Line = { number: number; text: string | undefined; size: number }

const LF = 10
const CR = 13

/**
 * Yields the lines of a UTF-8 stream without their line breaks, which are LF, CRLF or CR. Omits an
 * empty last line. A line of more than `maxBytes` bytes is skipped without being buffered.
 */
export async function* readLines(
  chunks: AsyncIterable<Buffer>,
  maxBytes: number,
): AsyncGenerator<Line> {
  let parts: Buffer[] = []
  let size = 0
  let number = 0
  const append = (part: Buffer) => {
    size += part.length
    if (size <= maxBytes) parts.push(part)
    else parts = []
  }
  const finishLine = (): Line => {
    number += 1
    const text = size > maxBytes ? undefined : decodeLine(parts, number)
    const line = { number, text, size }
    parts = []
    size = 0
    return line
  }
  for await (const chunk of joinSplitBreaks(chunks)) {
    let start = 0
    for (const { end, next } of findLineBreaks(chunk)) {
      append(chunk.subarray(start, end))
      yield finishLine()
      start = next
    }
    append(chunk.subarray(start))
  }
  if (size > 0) yield finishLine()
}

/** Yields the chunks without the LF of a CRLF whose CR is in the previous chunk. */
async function* joinSplitBreaks(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let endsWithCr = false
  for await (const chunk of chunks) {
    if (chunk.length === 0) continue
    yield endsWithCr && chunk[0] === LF ? chunk.subarray(1) : chunk
    endsWithCr = chunk.at(-1) === CR
  }
}

/** Yields where each line break of a text begins, and where the next line does. */
function* findLineBreaks(bytes: Buffer): Generator<{ end: number; next: number }> {
  let lf = bytes.indexOf(LF)
  let cr = bytes.indexOf(CR)
  while (lf >= 0 || cr >= 0) {
    const end = cr >= 0 && (lf < 0 || cr < lf) ? cr : lf
    const next = end === cr && lf === cr + 1 ? end + 2 : end + 1
    yield { end, next }
    if (lf >= 0 && lf < next) lf = bytes.indexOf(LF, next)
    if (cr >= 0 && cr < next) cr = bytes.indexOf(CR, next)
  }
}

function decodeLine(parts: readonly Buffer[], number: number): string {
  const bytes = parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts)
  const text = bytes.toString('utf8')
  return number === 1 && text.startsWith('\ufeff') ? text.slice(1) : text
}
