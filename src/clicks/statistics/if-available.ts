import { convertDatabaseError, isStatementTimeout } from '../../db/errors.ts'
import { AppError } from '../../errors.ts'

/**
 * Resolves to the statistics, or to undefined if the server that stores them is down or too slow.
 * On a cluster, a worker node may be down while the coordinator works. Rejects with any other
 * error.
 */
export async function ifAvailable<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading
  } catch (error) {
    if (classifyReadFailure(error)) return undefined
    throw error
  }
}

/**
 * Returns why statistics could not be read (too slow, or unavailable), or undefined for other
 * errors.
 */
export function classifyReadFailure(error: unknown): 'slow' | 'unavailable' | undefined {
  const converted = convertDatabaseError(error)
  if (!(converted instanceof AppError) || converted.code !== 'database_unavailable')
    return undefined
  const original = converted === error ? (converted.cause ?? converted) : error
  const { message } = original as Error
  const isSlow = isStatementTimeout(original) || /^Query read timeout/.test(message)
  return isSlow ? 'slow' : 'unavailable'
}
