import { describe, expect, test } from 'vitest'
import { decodeLanguage, encodeLanguage, getDeviceName, getDeviceNumber } from './fixed-labels.ts'

describe('fixed label numbers', () => {
  test.each([
    ['unknown', 0, 'Unknown'],
    ['desktop', 1, 'Desktop'],
    ['mobile', 2, 'Mobile'],
    ['tablet', 3, 'Tablet'],
  ] as const)('device class %s has number %i', (device, number, name) => {
    expect(getDeviceNumber(device)).toBe(number)
    expect(getDeviceName(number)).toBe(name)
  })

  test('an unassigned number is an unknown device class', () => {
    expect(getDeviceName(17)).toBe('Unknown')
  })

  test('language codes convert to distinct numbers and back', () => {
    const letters = 'abcdefghijklmnopqrstuvwxyz'
    const two = [...letters].flatMap((a) => [...letters].map((b) => a + b))
    const codes = [...two, ...two.flatMap((start) => [`${start}a`, `${start}m`, `${start}z`])]
    const numbers = codes.map(encodeLanguage)
    expect(numbers.map(decodeLanguage)).toEqual(codes)
    expect(new Set(numbers).size).toBe(codes.length)
    expect(Math.max(...numbers)).toBeLessThan(2 ** 15)
  })

  test('an unknown language has number 0', () => {
    expect(encodeLanguage('')).toBe(0)
    expect(encodeLanguage('Unknown')).toBe(0)
    expect(decodeLanguage(0)).toBe('Unknown')
  })
})
