import { appendFile } from 'node:fs/promises'

/** The number of characters to buffer before writing. */
const BUFFER_LENGTH = 64 * 1024

export type TextFile = ReturnType<typeof createTextFile>

/**
 * Creates a file that is written in large pieces, and is open only during writes. `end` syncs it to
 * disk.
 */
export function createTextFile(path: string) {
  let buffer = ''
  return {
    async write(text: string): Promise<void> {
      buffer += text
      if (buffer.length < BUFFER_LENGTH) return
      const piece = buffer
      buffer = ''
      await appendFile(path, piece)
    },
    end: (text = ''): Promise<void> => appendFile(path, buffer + text, { flush: true }),
  }
}
