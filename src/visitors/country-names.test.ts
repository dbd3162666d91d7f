import { expect, test } from 'vitest'
import { findCountryCode, getCountryName, listCountryNames } from './country-names.ts'

test('every country name maps to a code that maps back to it', () => {
  const names = listCountryNames()
  expect(names.length).toBeGreaterThan(240)
  for (const name of names) expect(getCountryName(findCountryCode(name))).toBe(name)
})
