/**
 * A line of a file, its number, starting at 1, and its size in bytes. `text` is undefined if the
 * line is too long.
 */
export type Line = { number: number; text: string | undefined; size: number }

const NEWLINE = 10

/**
 * Yields the lines of a UTF-8 stream without their line breaks. Omits an empty last line. A line of
 * more than `maxBytes` bytes is skipped without being buffered.
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
  for await (const chunk of chunks) {
    let start = 0
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      append(chunk.subarray(start, end))
      yield finishLine()
      start = end + 1
    }
    append(chunk.subarray(start))
  }
  if (size > 0) yield finishLine()
}

function decodeLine(parts: readonly Buffer[], number: number): string {
  const bytes = parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts)
  const text = bytes.toString('utf8')
  const start = number === 1 && text.startsWith('\ufeff') ? 1 : 0
  return text.slice(start, text.endsWith('\r') ? -1 : undefined)
}
