import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatDate, formatTimestamp } from './timestamp.ts'

const fourDigitYears = fc.date({
  min: new Date('0000-01-01T00:00:00.000Z'),
  max: new Date('9999-12-31T23:59:59.999Z'),
  noInvalidDate: true,
})

describe('formatTimestamp', () => {
  test('formats the time in UTC and pads its parts to two digits', () => {
    expect(formatTimestamp(new Date('2031-02-03T04:05:06.789Z'))).toBe('2031-02-03 04:05:06')
    expect(formatTimestamp(new Date('2031-02-03T00:30:00+05:00'))).toBe('2031-02-02 19:30:00')
  })

  test('truncates fractions of a second', () => {
    expect(formatTimestamp(new Date('1999-12-31T23:59:59.999Z'))).toBe('1999-12-31 23:59:59')
  })

  test('returns text that parses as the same second', () => {
    fc.assert(
      fc.property(fourDigitYears, (date) => {
        const text = formatTimestamp(date)
        expect(text).toMatch(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/)
        const seconds = Math.floor(date.getTime() / 1000)
        expect(new Date(`${text.replace(' ', 'T')}Z`).getTime()).toBe(seconds * 1000)
      }),
    )
  })

  test('formats years with more than four digits', () => {
    expect(formatTimestamp(new Date('+012345-01-02T03:04:05.000Z'))).toBe('+012345-01-02 03:04:05')
  })

  test('throws for an invalid date', () => {
    expect(() => formatTimestamp(new Date(Number.NaN))).toThrow(RangeError)
  })
})

describe('formatDate', () => {
  test('returns the date in UTC', () => {
    expect(formatDate(new Date('2031-02-03T23:59:59.999Z'))).toBe('2031-02-03')
    expect(formatDate(new Date('2031-02-03T00:30:00+05:00'))).toBe('2031-02-02')
  })

  test('returns the start of the timestamp', () => {
    fc.assert(
      fc.property(fourDigitYears, (date) => {
        expect(formatDate(date)).toBe(formatTimestamp(date).slice(0, 10))
      }),
    )
  })
})
