import type { Readable } from 'node:stream'
import { AppError } from '../../../errors.ts'

export type OpenExport = ReturnType<typeof createExportLimiter>

/**
 * Limits each account to one export at a time in any format, because each reads all of its links.
 */
export function createExportLimiter() {
  const exporting = new Set<number>()

  /**
   * Opens an export. It ends when the stream is closed.
   *
   * @throws AppError `busy`
   */
  return function open(accountId: number, file: () => Readable): Readable {
    if (exporting.has(accountId)) throw new AppError('busy')
    exporting.add(accountId)
    // `close` is always emitted, even if the client disconnects before the stream starts.
    return file().once('close', () => exporting.delete(accountId))
  }
}
