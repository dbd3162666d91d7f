import { expect, test } from 'vitest'
import { AppError } from '../../errors.ts'
import { classifyReadFailure, ifAvailable } from './if-available.ts'

const failure = (code: string, message = 'failed') => Object.assign(new Error(message), { code })

test.each([
  ['slow', failure('57014')],
  ['slow', new Error('Query read timeout')],
  ['unavailable', failure('57P01')],
  ['unavailable', failure('ECONNREFUSED')],
  ['unavailable', new AppError('database_unavailable')],
  [undefined, failure('42703')],
  [undefined, new AppError('busy')],
])('reads as %s: %o', async (expected, error) => {
  expect(classifyReadFailure(error)).toBe(expected)
  const reading = ifAvailable(Promise.reject(error))
  if (expected) await expect(reading).resolves.toBeUndefined()
  else await expect(reading).rejects.toBe(error)
})
