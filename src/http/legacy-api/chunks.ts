/** In UTF-16 units. In UTF-8, a chunk has at most three times as many bytes, plus its last part. */
const chunkLength = 16_384

/**
 * Joins small parts into chunks of 16 to 48 kB, so that a long reply is neither held in memory nor
 * written in tiny pieces. Only the last chunk may be shorter. Parts are never split.
 */
export async function* joinChunks(parts: AsyncIterable<string>): AsyncGenerator<string> {
  let chunk = ''
  for await (const part of parts) {
    chunk += part
    if (chunk.length >= chunkLength) {
      yield chunk
      chunk = ''
    }
  }
  if (chunk !== '') yield chunk
}
