import { AppError } from '../../../errors.ts'

/**
 * Parses the id in a console path.
 *
 * @throws AppError `not_found` if it is not a valid id
 */
export function parsePathId(segment: string): number {
  const id = Number(segment)
  if (!/^[1-9]\d{0,15}$/.test(segment) || !Number.isSafeInteger(id)) throw new AppError('not_found')
  return id
}
