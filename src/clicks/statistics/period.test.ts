import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { dayOf, formatDay, intervals, listSteps, type PeriodQuery, readPeriod } from './period.ts'

const now = new Date('2026-11-21T22:15:00Z')
const read = (query: PeriodQuery) => {
  const { from, to, interval } = readPeriod(query, now)
  return `${formatDay(from)} ${formatDay(to)} ${interval}`
}
const listStarts = (query: PeriodQuery) =>
  listSteps(readPeriod(query, now)).map(({ start }) => start)

describe('readPeriod', () => {
  test.each([
    ['defaults to the last 30 days', {}, '2026-10-23 2026-11-21 day'],
    [
      'treats empty values as absent',
      { from: '', to: '', interval: '' },
      '2026-10-23 2026-11-21 day',
    ],
    [
      'with only `to`, covers the 30 days until then',
      { to: '2026-01-30' },
      '2026-01-01 2026-01-30 day',
    ],
    [
      'with only `from`, covers all days since then',
      { from: '2026-11-01' },
      '2026-11-01 2026-11-21 day',
    ],
    ['accepts one day', { from: '2026-11-21', to: '2026-11-21' }, '2026-11-21 2026-11-21 day'],
    ['accepts a period that ends in the future', { to: '2027-01-01' }, '2026-12-03 2027-01-01 day'],
    ['selects days for 100 days by default', { from: '2026-08-14' }, '2026-08-14 2026-11-21 day'],
    ['selects weeks for 101 days by default', { from: '2026-08-13' }, '2026-08-13 2026-11-21 week'],
    [
      'selects months for 3 years by default',
      { from: '2023-11-21' },
      '2023-11-21 2026-11-21 month',
    ],
    ['returns the requested interval', { interval: 'month' }, '2026-10-23 2026-11-21 month'],
    [
      'accepts hours up to 35 days ago',
      { from: '2026-10-18', to: '2026-10-18', interval: 'hour' },
      '2026-10-18 2026-10-18 hour',
    ],
    [
      'accepts days for up to 400 days',
      { from: '2025-10-18', interval: 'day' },
      '2025-10-18 2026-11-21 day',
    ],
    ['accepts a leap day', { from: '2024-02-29', to: '2024-02-29' }, '2024-02-29 2024-02-29 day'],
  ])('%s', (_, query, expected) => {
    expect(read(query)).toBe(expected)
  })

  test.each([
    [{ from: '2026-02-30' }, 'from must be a date of the form YYYY-MM-DD'],
    [{ from: '2026-13-01' }, 'from must be a date of the form YYYY-MM-DD'],
    [{ from: '2025-02-29' }, 'from must be a date of the form YYYY-MM-DD'],
    [{ to: '21.11.2026' }, 'to must be a date of the form YYYY-MM-DD'],
    [{ to: '2026-11-21T00:00:00Z' }, 'to must be a date of the form YYYY-MM-DD'],
    [{ to: '+292026-11-21' }, 'to must be a date of the form YYYY-MM-DD'],
    [{ to: '1969-12-31' }, 'to must be a date of the form YYYY-MM-DD'],
    [{ from: '2026-11-22' }, 'from must not be after to'],
    [{ from: '2026-11-02', to: '2026-11-01' }, 'from must not be after to'],
    [{ interval: 'year' }, 'interval must be one of hour, day, week, month'],
    [{ interval: 'Day' }, 'interval must be one of hour, day, week, month'],
    [{ from: '2026-11-14', interval: 'hour' }, 'interval hour is for spans of up to 7 days'],
    [{ from: '2025-10-17', interval: 'day' }, 'interval day is for spans of up to 400 days'],
    [{ from: '1970-01-01', interval: 'week' }, 'interval week is for spans of up to 4200 days'],
    [
      { from: '2026-10-17', to: '2026-10-18', interval: 'hour' },
      'from must be within the last 35 days if interval is hour',
    ],
  ])('rejects %o: %s', (query, message) => {
    expect(() => readPeriod(query, now)).toThrow(message)
  })
})

describe('listSteps', () => {
  test('returns days', () => {
    expect(listStarts({ from: '2026-02-27', to: '2026-03-01' })).toEqual([
      '2026-02-27',
      '2026-02-28',
      '2026-03-01',
    ])
  })

  test('returns the hours of every day', () => {
    const hours = listStarts({ from: '2026-11-20', to: '2026-11-21', interval: 'hour' })
    expect(hours).toHaveLength(48)
    expect(hours[0]).toBe('2026-11-20 00:00:00')
    expect(hours[47]).toBe('2026-11-21 23:00:00')
  })

  test('returns weeks from Monday, the first from the start of the period', () => {
    expect(listStarts({ from: '2026-11-12', to: '2026-11-24', interval: 'week' })).toEqual([
      '2026-11-12',
      '2026-11-16',
      '2026-11-23',
    ])
  })

  test('returns months, the first from the start of the period', () => {
    expect(listStarts({ from: '2026-11-12', to: '2027-02-01', interval: 'month' })).toEqual([
      '2026-11-12',
      '2026-12-01',
      '2027-01-01',
      '2027-02-01',
    ])
  })

  test('covers every hour exactly once', () => {
    const day = fc.integer({ min: 0, max: 376_000 })
    fc.assert(
      fc.property(day, fc.nat(1000), fc.constantFrom(...intervals), (from, more, interval) => {
        const steps = listSteps({ from, to: from + more, interval })
        expect(steps[0]?.from).toBe(from * 24)
        expect(steps.at(-1)?.to).toBe((from + more + 1) * 24 - 1)
        const invalidSteps = steps.filter(({ from, to }, index) => {
          const before = steps[index - 1]
          return !(to >= from) || (before && from !== before.to + 1)
        })
        expect(invalidSteps).toEqual([])
        expect(new Set(steps.map(({ start }) => start)).size).toBe(steps.length)
      }),
      { numRuns: 50 },
    )
  })
})

test('dayOf returns the day in UTC', () => {
  expect(dayOf(new Date('1970-01-02T00:00:00Z'))).toBe(1)
  expect(dayOf(new Date('1970-01-01T23:59:59.999Z'))).toBe(0)
})
