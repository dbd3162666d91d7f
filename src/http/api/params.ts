import { AppError } from '../../errors.ts'

/** The id in a path segment: a positive integer up to 2^53-1; anything else names nothing. */
export function readId(segment: string): number {
  const id = Number(segment)
  if (!/^[1-9]\d{0,15}$/.test(segment) || !Number.isSafeInteger(id)) throw new AppError('not_found')
  return id
}
