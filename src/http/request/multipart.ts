import { AppError } from '../../errors.ts'

/** A form with a file: the fields before the file, and the file, which is read as it comes. */
export type FileForm = {
  fields: Record<string, string>
  /** Undefined if there is none. */
  file: { name: string; content: AsyncGenerator<Buffer, void> } | undefined
}

const MOST_HEADERS = 4096
const MOST_TEXT = 16_384
const MOST_FIELDS = 50

/**
 * Reads a `multipart/form-data` body (RFC 7578) up to its first file; what comes after that is not
 * read. No more of it is in memory than a part of the file.
 *
 * @throws AppError `malformed_request`, also while the file is read, if the body is cut off
 */
export async function readFileForm(
  contentType: string,
  body: AsyncIterable<Buffer>,
): Promise<FileForm> {
  const [, quoted, plain] =
    /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(contentType) ?? []
  const boundary = quoted ?? plain
  if (boundary === undefined) throw new AppError('malformed_request')
  const reader = createReader(body)
  const delimiter = Buffer.from(`\r\n--${boundary}`)
  await reader.text(delimiter, MOST_HEADERS)
  const fields: Record<string, string> = Object.create(null)
  for (let count = 0; count < MOST_FIELDS; count += 1) {
    // Two hyphens after the boundary are the end.
    if ((await reader.text(NEWLINE, MOST_HEADERS)).startsWith('--'))
      return { fields, file: undefined }
    const headers = `\r\n${await reader.text(BLANK_LINE, MOST_HEADERS)}`
    const disposition = /\r\ncontent-disposition:\s*form-data\b([^\r]*)/i.exec(headers)?.[1] ?? ''
    const name = parameterOf(disposition, 'name')
    const fileName = parameterOf(disposition, 'filename')
    if (name === undefined) throw new AppError('malformed_request')
    if (fileName !== undefined) {
      return { fields, file: { name: fileName, content: reader.until(delimiter) } }
    }
    fields[name] = await reader.text(delimiter, MOST_TEXT)
  }
  throw new AppError('malformed_request')
}

const NEWLINE = Buffer.from('\r\n')
const BLANK_LINE = Buffer.from('\r\n\r\n')

function parameterOf(disposition: string, name: string): string | undefined {
  return new RegExp(`;\\s*${name}="([^"]*)"`, 'i').exec(disposition)?.[1]
}

function createReader(body: AsyncIterable<Buffer>) {
  const source = body[Symbol.asyncIterator]()
  // The first boundary may have no line before it.
  let rest: Buffer = Buffer.from('\r\n')

  async function more(): Promise<void> {
    const { value, done } = await source.next()
    if (done) throw new AppError('malformed_request')
    rest = rest.length === 0 ? value : Buffer.concat([rest, value])
  }

  /** What comes before the delimiter, which is passed over. */
  async function* until(delimiter: Buffer): AsyncGenerator<Buffer, void> {
    for (;;) {
      const end = rest.indexOf(delimiter)
      if (end >= 0) {
        const last = rest.subarray(0, end)
        rest = rest.subarray(end + delimiter.length)
        if (last.length > 0) yield last
        return
      }
      // What may be the beginning of the delimiter waits for the rest of it.
      const sure = rest.length - delimiter.length + 1
      if (sure > 0) {
        const part = rest.subarray(0, sure)
        rest = rest.subarray(sure)
        yield part
      }
      await more()
    }
  }

  /** The same as a text of at most so many bytes. */
  async function text(delimiter: Buffer, most: number): Promise<string> {
    const parts: Buffer[] = []
    let size = 0
    for await (const part of until(delimiter)) {
      size += part.length
      if (size > most) throw new AppError('malformed_request')
      parts.push(part)
    }
    return Buffer.concat(parts).toString('utf8')
  }

  return { until, text }
}
