import type { Readable } from 'node:stream'
import { AppError } from '../../../errors.ts'

export type OpenExport = ReturnType<typeof createExportLimiter>

/**
 * Limits each account to one export at a time in any format, because an export can read all links of
 * the account.
 */
export function createExportLimiter() {
  /** The ids of accounts with an open export. */
  const exporting = new Set<number>()

  /**
   * Opens the stream of an export. The account can start its next export when the stream is closed.
   *
   * @throws AppError `busy` if the account has an open export
   */
  return function openExport(accountId: number, openFile: () => Readable): Readable {
    if (exporting.has(accountId)) throw new AppError('busy')
    exporting.add(accountId)
    // `close` is always emitted, even if the client disconnects before the stream starts.
    return openFile().once('close', () => exporting.delete(accountId))
  }
}
