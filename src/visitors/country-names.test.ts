import { expect, test } from 'vitest'
import { countryCode, countryName, countryNames } from './country-names.ts'

test('every country name maps to a code that maps back to it', () => {
  const names = countryNames()
  expect(names.length).toBeGreaterThan(240)
  for (const name of names) expect(countryName(countryCode(name))).toBe(name)
})
