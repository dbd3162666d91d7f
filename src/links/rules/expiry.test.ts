import { expect, test } from 'vitest'
import { parseExpiry } from './expiry.ts'

const now = new Date('2026-11-21T12:00:00Z')

test.each([
  ['2026-11-21 12:00:01', '2026-11-21T12:00:01.000Z'],
  ['2026-11-21', '2026-11-21T23:59:59.999Z'],
  ['2028-02-29', '2028-02-29T23:59:59.999Z'],
  ['2027-01-31T23:59:59', '2027-01-31T23:59:59.000Z'],
  ['9999-12-31', '9999-12-31T23:59:59.999Z'],
])('the expiration %s is parsed as %s', (value, moment) => {
  expect(parseExpiry('expiry', value, now).toISOString()).toBe(moment)
})

test.each([
  ['2026-11-21 12:00:00', 'expiry must be in the future'],
  ['2026-11-20', 'expiry must be in the future'],
  ['0000-01-01', 'expiry must be in the future'],
  ['2027-02-29', 'expiry is not a date that exists'],
  ['2027-13-01', 'expiry is not a date that exists'],
  ['2027-01-01 24:00:00', 'expiry is not a date that exists'],
  ['2027-01-01 10:60:00', 'expiry is not a date that exists'],
  ['tomorrow', 'expiry must have the form YYYY-MM-DD HH:MM:SS or YYYY-MM-DD'],
  ['2027-1-1', 'expiry must have the form YYYY-MM-DD HH:MM:SS or YYYY-MM-DD'],
  ['2027-01-01 10:00', 'expiry must have the form YYYY-MM-DD HH:MM:SS or YYYY-MM-DD'],
  [' 2027-01-01', 'expiry must have the form YYYY-MM-DD HH:MM:SS or YYYY-MM-DD'],
])('the expiration %s is rejected: %s', (value, message) => {
  expect(() => parseExpiry('expiry', value, now)).toThrow(message)
})
