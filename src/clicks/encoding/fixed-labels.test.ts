import { describe, expect, test } from 'vitest'
import { deviceName, deviceNumber, languageCode, languageNumber } from './fixed-labels.ts'

describe('the numbers of labels that need no table', () => {
  test.each([
    ['unknown', 0, 'Unknown'],
    ['desktop', 1, 'Desktop'],
    ['mobile', 2, 'Mobile'],
    ['tablet', 3, 'Tablet'],
  ] as const)('the device class %s is %i', (device, number, name) => {
    expect(deviceNumber(device)).toBe(number)
    expect(deviceName(number)).toBe(name)
  })

  test('a number that stands for no device class is unknown', () => {
    expect(deviceName(17)).toBe('Unknown')
  })

  test('codes of languages come back from their numbers, all of them different', () => {
    const letters = 'abcdefghijklmnopqrstuvwxyz'
    const two = [...letters].flatMap((a) => [...letters].map((b) => a + b))
    const codes = [...two, ...two.flatMap((start) => [`${start}a`, `${start}m`, `${start}z`])]
    const numbers = codes.map(languageNumber)
    expect(numbers.map(languageCode)).toEqual(codes)
    expect(new Set(numbers).size).toBe(codes.length)
    expect(Math.max(...numbers)).toBeLessThan(2 ** 15)
  })

  test('no language is 0', () => {
    expect(languageNumber('')).toBe(0)
    expect(languageNumber('Unknown')).toBe(0)
    expect(languageCode(0)).toBe('Unknown')
  })
})
