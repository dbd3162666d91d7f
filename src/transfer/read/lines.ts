/**
 * A line of a file, its number, starting at 1, and its size in bytes. `text` is undefined if the
 * line is too long.
 */
export type Line = { number: number; text: string | undefined; size: number }

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
export function* findLineBreaks(bytes: Buffer): Generator<{ end: number; next: number }> {
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
