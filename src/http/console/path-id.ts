import { AppError } from '../../errors.ts'

/** The id in a path of the console. @throws AppError `not_found` for what can be none */
export function pathId(segment: string): number {
  const id = Number(segment)
  if (!/^[1-9]\d{0,15}$/.test(segment) || !Number.isSafeInteger(id)) throw new AppError('not_found')
  return id
}
