import { AppError } from '../../errors.ts'

/**
 * Parses the ID in a path segment, an integer from 1 to 2^53-1.
 *
 * @throws AppError `not_found` for anything else
 */
export function parsePathId(segment: string): number {
  const id = Number(segment)
  if (!/^[1-9]\d{0,15}$/.test(segment) || !Number.isSafeInteger(id)) throw new AppError('not_found')
  return id
}
