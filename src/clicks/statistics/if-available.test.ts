import { expect, test } from 'vitest'
import { AppError } from '../../errors.ts'
import { classifyReadFailure, ifAvailable } from './if-available.ts'

const createError = (code: string, message = 'failed') =>
  Object.assign(new Error(message), { code })

test.each([
  ['slow', createError('57014')],
  ['slow', new Error('Query read timeout')],
  ['unavailable', createError('57P01')],
  ['unavailable', createError('ECONNREFUSED')],
  ['unavailable', new AppError('database_unavailable')],
  [undefined, createError('42703')],
  [undefined, new AppError('busy')],
])(
  'an error is classified as %s, and a classified one resolves to undefined: %o',
  async (expected, error) => {
    expect(classifyReadFailure(error)).toBe(expected)
    const result = ifAvailable(Promise.reject(error))
    if (expected) await expect(result).resolves.toBeUndefined()
    else await expect(result).rejects.toBe(error)
  },
)
