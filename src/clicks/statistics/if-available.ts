import { fromDatabase } from '../../db/errors.ts'
import { AppError } from '../../errors.ts'

/**
 * Resolves to the statistics, or to undefined if the server that stores them is down. On a cluster,
 * a worker node may be down while the coordinator works.
 */
export async function ifAvailable<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading
  } catch (error) {
    if (readFailureOf(error)) return undefined
    throw error
  }
}

/**
 * Returns why statistics could not be read (too slow, or unavailable), or undefined for other
 * errors.
 */
export function readFailureOf(error: unknown): 'slow' | 'unavailable' | undefined {
  const converted = fromDatabase(error)
  if (!(converted instanceof AppError) || converted.code !== 'database_unavailable')
    return undefined
  const { code, message } = (
    converted === error ? (converted.cause ?? converted) : error
  ) as Error & {
    code?: string
  }
  const isSlow = code === '57014' || /^Query read timeout/.test(message)
  return isSlow ? 'slow' : 'unavailable'
}
