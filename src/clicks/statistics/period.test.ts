import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { dayOf, formatDay, intervals, type PeriodQuery, readPeriod, stepsOf } from './period.ts'

const now = new Date('2026-11-21T22:15:00Z')
const read = (query: PeriodQuery) => {
  const { from, to, interval } = readPeriod(query, now)
  return `${formatDay(from)} ${formatDay(to)} ${interval}`
}
const starts = (query: PeriodQuery) => stepsOf(readPeriod(query, now)).map(({ start }) => start)

describe('the period of statistics', () => {
  test.each([
    ['without anything the last 30 days', {}, '2026-10-23 2026-11-21 day'],
    ['with empty values too', { from: '', to: '', interval: '' }, '2026-10-23 2026-11-21 day'],
    ['with an end alone the 30 days to it', { to: '2026-01-30' }, '2026-01-01 2026-01-30 day'],
    [
      'with a beginning alone all from then on',
      { from: '2026-11-01' },
      '2026-11-01 2026-11-21 day',
    ],
    ['of one day', { from: '2026-11-21', to: '2026-11-21' }, '2026-11-21 2026-11-21 day'],
    ['of a day to come', { to: '2027-01-01' }, '2026-12-03 2027-01-01 day'],
    ['of 100 days by day', { from: '2026-08-14' }, '2026-08-14 2026-11-21 day'],
    ['of 101 days by week', { from: '2026-08-13' }, '2026-08-13 2026-11-21 week'],
    ['of 3 years by month', { from: '2023-11-21' }, '2023-11-21 2026-11-21 month'],
    ['with the interval asked for', { interval: 'month' }, '2026-10-23 2026-11-21 month'],
    [
      'of the 35th day by hour',
      { from: '2026-10-18', to: '2026-10-18', interval: 'hour' },
      '2026-10-18 2026-10-18 hour',
    ],
    ['of 400 days by day', { from: '2025-10-18', interval: 'day' }, '2025-10-18 2026-11-21 day'],
    ['of a leap day', { from: '2024-02-29', to: '2024-02-29' }, '2024-02-29 2024-02-29 day'],
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
      'from must be within the last 35 days where interval is hour',
    ],
  ])('%o is refused: %s', (query, message) => {
    expect(() => readPeriod(query, now)).toThrow(message)
  })
})

describe('the steps of a period', () => {
  test('are days', () => {
    expect(starts({ from: '2026-02-27', to: '2026-03-01' })).toEqual([
      '2026-02-27',
      '2026-02-28',
      '2026-03-01',
    ])
  })

  test('are hours of every day', () => {
    const hours = starts({ from: '2026-11-20', to: '2026-11-21', interval: 'hour' })
    expect(hours).toHaveLength(48)
    expect(hours[0]).toBe('2026-11-20 00:00:00')
    expect(hours[47]).toBe('2026-11-21 23:00:00')
  })

  test('are weeks from Monday, the first from where the span begins', () => {
    expect(starts({ from: '2026-11-12', to: '2026-11-24', interval: 'week' })).toEqual([
      '2026-11-12',
      '2026-11-16',
      '2026-11-23',
    ])
  })

  test('are months, the first from where the span begins', () => {
    expect(starts({ from: '2026-11-12', to: '2027-02-01', interval: 'month' })).toEqual([
      '2026-11-12',
      '2026-12-01',
      '2027-01-01',
      '2027-02-01',
    ])
  })

  test('leave out no hour and count none twice', () => {
    const day = fc.integer({ min: 0, max: 376_000 })
    fc.assert(
      fc.property(day, fc.nat(1000), fc.constantFrom(...intervals), (from, more, interval) => {
        const steps = stepsOf({ from, to: from + more, interval })
        expect(steps[0]?.from).toBe(from * 24)
        expect(steps.at(-1)?.to).toBe((from + more + 1) * 24 - 1)
        const wrong = steps.filter(({ from, to }, index) => {
          const before = steps[index - 1]
          return !(to >= from) || (before && from !== before.to + 1)
        })
        expect(wrong).toEqual([])
        expect(new Set(steps.map(({ start }) => start)).size).toBe(steps.length)
      }),
      { numRuns: 50 },
    )
  })
})

test('a day is that of UTC', () => {
  expect(dayOf(new Date('1970-01-02T00:00:00Z'))).toBe(1)
  expect(dayOf(new Date('1970-01-01T23:59:59.999Z'))).toBe(0)
})
