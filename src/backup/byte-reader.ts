const NEWLINE = 10

/** Takes lines and blocks of bytes from a stream in turn, holding no more of it than it must. */
export function createByteReader(source: AsyncIterable<Buffer>) {
  const chunks = source[Symbol.asyncIterator]()
  let rest: Buffer = Buffer.alloc(0)

  /** The next line with its newline; throws if it is longer than `limit`. */
  async function line(limit: number): Promise<Buffer> {
    const parts: Buffer[] = []
    let size = 0
    for (;;) {
      const newline = rest.indexOf(NEWLINE)
      const part = newline === -1 ? rest : rest.subarray(0, newline + 1)
      parts.push(part)
      size += part.length
      if (size > limit) throw new Error('a line is too long')
      rest = rest.subarray(part.length)
      if (newline !== -1) return Buffer.concat(parts)
      await refill()
    }
  }

  /** The next `length` bytes. */
  async function bytes(length: number): Promise<Buffer> {
    const parts: Buffer[] = []
    let missing = length
    for (;;) {
      const part = rest.subarray(0, missing)
      parts.push(part)
      missing -= part.length
      rest = rest.subarray(part.length)
      if (missing === 0) return parts.length === 1 ? part : Buffer.concat(parts)
      await refill()
    }
  }

  /** Whether there is nothing left. */
  async function atEnd(): Promise<boolean> {
    while (rest.length === 0) {
      const { done, value } = await chunks.next()
      if (done) return true
      rest = value
    }
    return false
  }

  async function refill(): Promise<void> {
    if (await atEnd()) throw new Error('it ends too early')
  }

  return { line, bytes, atEnd }
}
