import type { Readable } from 'node:stream'
import { AppError } from '../../errors.ts'

export type OneExport = ReturnType<typeof createOneExport>

/** Has an account read one export at a time, whatever its form: each reads all of its links. */
export function createOneExport() {
  const exporting = new Set<number>()

  /** Opens an export, which is over when it is closed. @throws AppError `busy` */
  return function open(accountId: number, file: () => Readable): Readable {
    if (exporting.has(accountId)) throw new AppError('busy')
    exporting.add(accountId)
    // However it ends, also for who goes before it has begun.
    return file().once('close', () => exporting.delete(accountId))
  }
}
