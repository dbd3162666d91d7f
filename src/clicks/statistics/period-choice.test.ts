import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatDay, listSteps } from './period.ts'
import {
  type Choice,
  type ChoiceQuery,
  findAdjacentSpan,
  findPresetWithDay,
  findSpanBefore,
  listIntervals,
  presetNames,
  readChoice,
  type Span,
  toChoiceParameters,
  zoomInto,
} from './period-choice.ts'

const dayAt = (text: string) => Date.parse(text) / 86_400_000
const calendar = { today: dayAt('2026-11-21'), first: dayAt('2025-03-10') }
const read = (query: ChoiceQuery) => readChoice(query, calendar)
const formatSpan = (span: Span | undefined) =>
  span && `${formatDay(span.from)} ${formatDay(span.to)}`
const formatChoice = (choice: Choice) => `${formatSpan(choice)} ${choice.interval} ${choice.preset}`

describe('readChoice', () => {
  test.each([
    ['an empty query to the default', {}, '2026-10-23 2026-11-21 day 30d'],
    ['today', { period: 'today' }, '2026-11-21 2026-11-21 hour today'],
    ['7 days', { period: '7d' }, '2026-11-15 2026-11-21 day 7d'],
    ['7 days by hour', { period: '7d', interval: 'hour' }, '2026-11-15 2026-11-21 hour 7d'],
    ['yesterday', { period: 'yesterday' }, '2026-11-20 2026-11-20 hour yesterday'],
    ['this month', { period: 'month' }, '2026-11-01 2026-11-21 day month'],
    ['last month', { period: 'last-month' }, '2026-10-01 2026-10-31 day last-month'],
    ['this year', { period: 'year' }, '2026-01-01 2026-11-21 month year'],
    ['90 days', { period: '90d' }, '2026-08-24 2026-11-21 day 90d'],
    ['12 months', { period: '12m' }, '2025-12-01 2026-11-21 month 12m'],
    ['12 months by week', { period: '12m', interval: 'week' }, '2025-12-01 2026-11-21 week 12m'],
    ['all', { period: 'all' }, '2025-03-10 2026-11-21 month all'],
    ['a preset and dates', { period: '7d', from: '2026-01-01' }, '2026-11-15 2026-11-21 day 7d'],
    ['dates of a preset', { from: '2026-11-15', to: '2026-11-21' }, '2026-11-15 2026-11-21 day 7d'],
    ['a year', { from: '2025-01-01', to: '2025-12-31' }, '2025-01-01 2025-12-31 month undefined'],
    ['120 days', { from: '2025-01-02', to: '2025-05-01' }, '2025-01-02 2025-05-01 week undefined'],
    [
      'a day without hours',
      { from: '2026-10-17', to: '2026-10-17' },
      '2026-10-17 2026-10-17 day undefined',
    ],
    [
      'a day with hours',
      { from: '2026-10-18', to: '2026-10-18' },
      '2026-10-18 2026-10-18 hour undefined',
    ],
    [
      'dates in the future',
      { from: '2026-11-10', to: '2026-12-24' },
      '2026-11-10 2026-11-21 day undefined',
    ],
    [
      'an interval that is too fine',
      { period: '90d', interval: 'hour' },
      '2026-08-24 2026-11-21 day 90d',
    ],
  ])('resolves %s', (_, query, expected) => {
    expect(formatChoice(read(query))).toBe(expected)
  })

  test.each([
    [
      { period: 'decade' },
      'period must be one of today, yesterday, 7d, 30d, 90d, month, last-month, year, 12m, all',
    ],
    [{ interval: 'minute' }, 'interval must be one of hour, day, week, month'],
    [{ from: '2026-11-22', to: '2026-11-23' }, 'from must not be after today'],
    [{ from: '2026-11-02', to: '2026-11-01' }, 'from must not be after to'],
    [{ from: '2026-02-30' }, 'from must be a date of the form YYYY-MM-DD'],
  ])('rejects %o: %s', (query, message) => {
    expect(() => read(query)).toThrow(message)
  })
})

test.each([
  [{ period: 'today' }, '2026-11-20 2026-11-20', undefined],
  [{ period: '7d' }, '2026-11-08 2026-11-14', undefined],
  [{ period: 'yesterday' }, '2026-11-19 2026-11-19', '2026-11-21 2026-11-21'],
  [{ period: 'month' }, '2026-10-01 2026-10-31', undefined],
  [{ period: 'last-month' }, '2026-09-01 2026-09-30', '2026-11-01 2026-11-21'],
  [{ period: 'year' }, '2025-01-01 2025-12-31', undefined],
  [{ period: '12m' }, '2024-12-01 2025-11-30', undefined],
  [{ period: 'all' }, undefined, undefined],
  [{ from: '2026-10-01', to: '2026-10-31' }, '2026-09-01 2026-09-30', '2026-11-01 2026-11-21'],
  [{ from: '2026-10-02', to: '2026-10-03' }, '2026-09-30 2026-10-01', '2026-10-04 2026-10-05'],
  [{ from: '2026-11-01', to: '2026-11-14' }, '2026-10-18 2026-10-31', '2026-11-08 2026-11-21'],
  [{ from: '1970-01-02', to: '1970-01-09' }, undefined, '1970-01-10 1970-01-17'],
])('the periods before and after %o are %s and %s', (query, before, after) => {
  const choice = read(query)
  expect([
    formatSpan(findAdjacentSpan(choice, -1, calendar)),
    formatSpan(findAdjacentSpan(choice, 1, calendar)),
  ]).toEqual([before, after])
})

test.each([
  [{ period: '30d' }, '2026-09-23 2026-10-22'],
  [{ period: '12m' }, '2024-12-01 2025-11-21'],
  [{ period: 'month' }, '2026-10-01 2026-10-21'],
  [{ period: 'year' }, '2025-01-01 2025-11-21'],
  [{ period: 'all' }, undefined],
  [{ from: '2026-03-01', to: '2026-03-31' }, '2026-02-01 2026-02-28'],
])('%o is compared with %s', (query, expected) => {
  expect(formatSpan(findSpanBefore(read(query), calendar))).toBe(expected)
})

test('thirty days starting on the first of a month are compared with thirty days', () => {
  const today = dayAt('2026-11-30')
  const choice = readChoice({}, { ...calendar, today })
  expect(formatSpan(findSpanBefore(choice, { ...calendar, today }))).toBe('2026-10-02 2026-10-31')
})

test.each([
  ['a month of a year to its days', { period: '12m' }, 0, '2025-12-01 2025-12-31'],
  ['the current month to its days so far', { period: '12m' }, 11, '2026-11-01 2026-11-21'],
  ['a day of a month to its hours', { period: '30d' }, 0, '2026-10-23 2026-10-23'],
  ['a week to its days', { period: '12m', interval: 'week' }, 1, '2025-12-08 2025-12-14'],
  ['an hour of today to nothing', { period: 'today' }, 3, undefined],
  ['a single day to nothing', { from: '2026-01-01', to: '2026-01-01' }, 0, undefined],
] as const)('zooms from %s', (_name, query, index, expected) => {
  const choice = read(query)
  const step = listSteps(choice)[index]
  if (!step) throw new Error(`the period has no step ${index}`)
  expect(formatSpan(zoomInto(step, choice, calendar))).toBe(expected)
})

test.each([
  ['2026-11-21', 'today'],
  ['2026-11-20', 'yesterday'],
  ['2026-11-15', '7d'],
  ['2026-09-01', '90d'],
  ['2025-12-01', '12m'],
  ['2025-11-30', 'all'],
])('the first preset that contains the day %s is %s', (day, name) => {
  expect(findPresetWithDay(dayAt(day), calendar)).toBe(name)
})

test('the URL of a period omits defaults', () => {
  const toQueryString = (query: ChoiceQuery) =>
    String(new URLSearchParams(toChoiceParameters(read(query), calendar)))
  expect(toQueryString({})).toBe('')
  expect(toQueryString({ from: '2026-10-23', to: '2026-11-21', interval: 'day' })).toBe('')
  expect(toQueryString({ interval: 'week' })).toBe('interval=week')
  expect(toQueryString({ period: 'all', interval: 'day' })).toBe('period=all')
  expect(toQueryString({ from: '2026-01-01', to: '2026-01-31' })).toBe(
    'from=2026-01-01&to=2026-01-31',
  )
})

test('every period is restored from its URL, and its steps lie within it', () => {
  const anyDay = fc.integer({ min: calendar.today - 900, max: calendar.today })
  const names = fc.constantFrom(...presetNames, undefined)
  fc.assert(
    fc.property(anyDay, anyDay, names, fc.nat(3), (day, otherDay, period, index) => {
      const days = {
        from: formatDay(Math.min(day, otherDay)),
        to: formatDay(Math.max(day, otherDay)),
      }
      const possibleIntervals = listIntervals(read({ period, ...days }), calendar)
      const choice = read({
        period,
        ...days,
        interval: possibleIntervals[index % possibleIntervals.length],
      })
      const parameters = Object.fromEntries(toChoiceParameters(choice, calendar))
      expect(read(parameters)).toEqual(choice)
      for (const step of listSteps(choice)) {
        const zoomed = zoomInto(step, choice, calendar)
        if (!zoomed) continue
        expect(zoomed.from).toBeGreaterThanOrEqual(choice.from)
        expect(zoomed.to).toBeLessThanOrEqual(choice.to)
      }
      const before = findSpanBefore(choice, calendar)
      if (before) expect(before.to).toBeLessThan(choice.from)
    }),
    { numRuns: 200 },
  )
})
