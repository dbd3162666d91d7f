import { expect, test } from 'vitest'
import { parseExpiry } from './expiry.ts'

const now = new Date('2026-11-21T12:00:00Z')

test.each([
  ['2026-11-21 12:00:01', '2026-11-21T12:00:01.000Z'],
  ['2026-11-21', '2026-11-21T23:59:59.999Z'],
  ['2028-02-29', '2028-02-29T23:59:59.999Z'],
  ['2027-01-31T23:59:59', '2027-01-31T23:59:59.000Z'],
  ['2027-01-31T23:59:59Z', '2027-01-31T23:59:59.000Z'],
  ['2027-01-31t23:59:59.123z', '2027-01-31T23:59:59.000Z'],
  ['2027-01-31 23:59:59 Z', '2027-01-31T23:59:59.000Z'],
  ['2027-01-31T23:59Z', '2027-01-31T23:59:00.000Z'],
  ['2027-01-01T00:30:00+02:00', '2026-12-31T22:30:00.000Z'],
  ['2026-12-31T22:30:00.123456789-0530', '2027-01-01T04:00:00.000Z'],
  ['2027-01-01 00:00:00+00', '2027-01-01T00:00:00.000Z'],
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
  ['2027-02-29T10:00:00Z', 'expiry is not a date that exists'],
  ['2027-01-01T10:00:00+24:00', 'expiry is not a date that exists'],
  ['9999-12-31T23:59:59-01:00', 'expiry is not a date that exists'],
  ['2026-11-21T13:00:00+02:00', 'expiry must be in the future'],
  ['2027-01-01Z', 'expiry must have the form YYYY-MM-DD HH:MM:SS or YYYY-MM-DD'],
  ['tomorrow', 'expiry must have the form YYYY-MM-DD HH:MM:SS or YYYY-MM-DD'],
  ['2027-1-1', 'expiry must have the form YYYY-MM-DD HH:MM:SS or YYYY-MM-DD'],
  ['2027-01-01 10:00', 'expiry must have the form YYYY-MM-DD HH:MM:SS or YYYY-MM-DD'],
  [' 2027-01-01', 'expiry must have the form YYYY-MM-DD HH:MM:SS or YYYY-MM-DD'],
])('the expiration %s is rejected: %s', (value, message) => {
  expect(() => parseExpiry('expiry', value, now)).toThrow(message)
})
