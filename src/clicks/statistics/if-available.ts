import { fromDatabase } from '../../db/errors.ts'
import { AppError } from '../../errors.ts'

/**
 * Resolves to the statistics being read, or to undefined if the server that stores them is down: on a
 * cluster a worker may be, while the coordinator still answers for everything else.
 */
export async function ifAvailable<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading
  } catch (error) {
    const known = fromDatabase(error)
    if (known instanceof AppError && known.code === 'database_unavailable') return undefined
    throw error
  }
}
