import { describe, expect, test } from 'vitest'
import { decodeLanguage, encodeLanguage, getDeviceName, getDeviceNumber } from './fixed-labels.ts'

describe('fixed label numbers', () => {
  test.each([
    ['unknown', 0, 'Unknown'],
    ['desktop', 1, 'Desktop'],
    ['mobile', 2, 'Mobile'],
    ['tablet', 3, 'Tablet'],
  ] as const)('include a number for the device type %s: %i', (device, number, name) => {
    expect(getDeviceNumber(device)).toBe(number)
    expect(getDeviceName(number)).toBe(name)
  })

  test('mean an unknown device type if they are unassigned', () => {
    expect(getDeviceName(17)).toBe('Unknown')
  })

  test('are distinct for all language codes and convert back to them', () => {
    const letters = 'abcdefghijklmnopqrstuvwxyz'
    const twoLetterCodes = [...letters].flatMap((a) => [...letters].map((b) => a + b))
    const codes = [
      ...twoLetterCodes,
      ...twoLetterCodes.flatMap((start) => [`${start}a`, `${start}m`, `${start}z`]),
    ]
    const numbers = codes.map(encodeLanguage)
    expect(numbers.map(decodeLanguage)).toEqual(codes)
    expect(new Set(numbers).size).toBe(codes.length)
    expect(Math.max(...numbers)).toBeLessThan(2 ** 15)
  })

  test('are 0 for an unknown language', () => {
    expect(encodeLanguage('')).toBe(0)
    expect(encodeLanguage('Unknown')).toBe(0)
    expect(decodeLanguage(0)).toBe('Unknown')
  })
})
