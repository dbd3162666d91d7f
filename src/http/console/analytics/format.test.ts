import { expect, test } from 'vitest'
import { type Interval, listSteps } from '../../../clicks/read.ts'
import { chooseLabelInterval, formatSpan, formatStep } from './format.ts'

const dayAt = (text: string) => Date.parse(text) / 86_400_000
const createPeriod = (from: string, to: string, interval: Interval) => ({
  from: dayAt(from),
  to: dayAt(to),
  interval,
})

test.each([
  ['2026-10-23', '2026-11-21', 'Oct 23 – Nov 21, 2026'],
  ['2026-11-01', '2026-11-21', 'Nov 1 – 21, 2026'],
  ['2025-12-01', '2026-11-21', 'Dec 1, 2025 – Nov 21, 2026'],
  ['2026-11-21', '2026-11-21', 'Sat, Nov 21, 2026'],
])('the period from %s to %s is formatted as %s', (from, to, text) => {
  expect(formatSpan(createPeriod(from, to, 'day'))).toBe(text)
})

test.each([
  [createPeriod('2026-11-21', '2026-11-21', 'hour'), 14, 'Sat, Nov 21, 2026, 14:00', '14:00'],
  [createPeriod('2026-11-20', '2026-11-21', 'hour'), 24, 'Sat, Nov 21, 2026, 00:00', 'Nov 21'],
  [createPeriod('2026-11-15', '2026-11-21', 'day'), 6, 'Sat, Nov 21, 2026', 'Nov 21'],
  [createPeriod('2026-11-04', '2026-11-21', 'week'), 1, 'Nov 9 – 15, 2026', 'Nov 9'],
  [createPeriod('2025-12-10', '2026-11-21', 'month'), 0, 'December 2025', 'Dec 25'],
])(
  'in the period %o, step %i is formatted as %s, or in short as %s',
  (period, index, name, short) => {
    const step = listSteps(period)[index]
    expect(step && formatStep(step, period)).toEqual({ name, short })
  },
)

test.each([
  [createPeriod('2026-11-21', '2026-11-21', 'hour'), 3],
  [createPeriod('2026-11-20', '2026-11-21', 'hour'), 24],
  [createPeriod('2026-11-15', '2026-11-21', 'hour'), 24],
  [createPeriod('2026-11-15', '2026-11-21', 'day'), 1],
  [createPeriod('2026-10-23', '2026-11-21', 'day'), 4],
])('in the period %o, one in %i steps has a label', (period, every) => {
  expect(chooseLabelInterval(period, listSteps(period).length)).toBe(every)
})
