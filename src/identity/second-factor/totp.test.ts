import { describe, expect, test } from 'vitest'
import {
  computeCode,
  createOtpauthUrl,
  findStep,
  generateSecret,
  getStep,
} from './one-time-codes.service.ts'
import { encodeBase32 } from './recovery-code.ts'

/**
 * The secret of the SHA-1 test vectors in RFC 6238, appendix B. The tests use the last six of the
 * eight digits of each code.
 */
const SECRET = Buffer.from('12345678901234567890')

test.for([
  [59, '287082'],
  [1111111109, '081804'],
  [1111111111, '050471'],
  [1234567890, '005924'],
  [2000000000, '279037'],
  [20000000000, '353130'],
] as const)('the code at %i seconds is %s', ([seconds, code]) => {
  expect(computeCode(SECRET, getStep(new Date(seconds * 1000)))).toBe(code)
})

describe('a code', () => {
  const now = new Date('2026-11-23T12:00:15Z')
  const computeCodeAt = (steps: number) => computeCode(SECRET, getStep(now) + steps)

  test.for([-1, 0, 1])('is accepted if it is %i steps from now', (steps) => {
    expect(findStep(SECRET, computeCodeAt(steps), now)).toBe(getStep(now) + steps)
  })

  test.for([-2, 2])('is rejected if it is %i steps from now', (steps) => {
    expect(findStep(SECRET, computeCodeAt(steps), now)).toBeUndefined()
  })

  test.for(['', '1', '12345678', '١٢٣٤٥٦', '\ud800'])('is rejected if it is %j', (code) => {
    expect(findStep(SECRET, code, now)).toBeUndefined()
  })
})

test.for([
  ['', ''],
  ['f', 'MY'],
  ['fo', 'MZXQ'],
  ['foo', 'MZXW6'],
  ['foob', 'MZXW6YQ'],
  ['fooba', 'MZXW6YTB'],
  ['foobar', 'MZXW6YTBOI'],
] as const)('base32 of %j is %j, as in RFC 4648', ([text, encoded]) => {
  expect(encodeBase32(Buffer.from(text))).toBe(encoded)
})

test('a secret has 32 characters, and the URL names the service and the email', () => {
  const secret = generateSecret()
  const url = new URL(createOtpauthUrl(secret, { issuer: 'go.example', email: 'a+b@example.com' }))
  expect(url.searchParams.get('secret')).toMatch(/^[A-Z2-7]{32}$/)
  expect(url.searchParams.get('issuer')).toBe('go.example')
  expect(url.href).toMatch(/^otpauth:\/\/totp\/go\.example:a%2Bb%40example\.com\?/)
})
