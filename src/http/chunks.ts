/** The minimum length of a chunk in UTF-16 code units. Each takes up to three bytes in UTF-8. */
const CHUNK_LENGTH = 16_384

/**
 * Joins small parts into chunks of 16 to 48 kB, so that a long reply is neither buffered completely
 * nor written in tiny pieces. Only the last chunk may be shorter. Parts are never split.
 */
export async function* joinChunks(parts: AsyncIterable<string>): AsyncGenerator<string> {
  let chunk = ''
  for await (const part of parts) {
    chunk += part
    if (chunk.length >= CHUNK_LENGTH) {
      yield chunk
      chunk = ''
    }
  }
  if (chunk !== '') yield chunk
}
