import fc from 'fast-check'
import { expect, test } from 'vitest'
import { toLocalTime } from '../clicks/read.ts'
import { FREQUENCIES, findLastPeriodEnd, findNextReportTime, getPeriodsBefore } from './schedule.ts'

const DAY_MS = 86_400_000
const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'America/St_Johns',
  'Asia/Kolkata',
  'Pacific/Apia',
  'Pacific/Kiritimati',
  'Australia/Lord_Howe',
]

test.each([
  ['weekly', 'Europe/Berlin', '2026-11-23T05:59:59Z', '2026-11-23T06:00:00Z', '2026-11-16'],
  ['weekly', 'Europe/Berlin', '2026-11-23T06:00:00Z', '2026-11-30T06:00:00Z', '2026-11-23'],
  // Clocks change on March 29.
  ['weekly', 'Europe/Berlin', '2026-03-24T00:00:00Z', '2026-03-30T05:00:00Z', '2026-03-23'],
  ['monthly', 'America/New_York', '2026-03-01T11:59:59Z', '2026-03-01T12:00:00Z', '2026-02-01'],
  ['monthly', 'Asia/Kolkata', '2026-12-31T23:00:00Z', '2027-01-01T01:30:00Z', '2026-12-01'],
] as const)('the %s report in %s after %s is due at %s', (frequency, zone, at, next, end) => {
  const now = Date.parse(at)
  expect(findNextReportTime(frequency, zone, now)).toEqual(new Date(next))
  expect(findLastPeriodEnd(frequency, zone, now)).toBe(Date.parse(end) / DAY_MS)
})

test('in any zone, the next report is due in the future, and the last period has ended', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...FREQUENCIES),
      fc.constantFrom(...ZONES),
      fc.integer({ min: Date.parse('2009-01-01'), max: Date.parse('2030-01-01') }),
      (frequency, zone, now) => {
        const next = findNextReportTime(frequency, zone, now).getTime()
        expect(next).toBeGreaterThan(now)
        expect(findLastPeriodEnd(frequency, zone, next)).toBeGreaterThan(
          findLastPeriodEnd(frequency, zone, next - 1),
        )
        expect(findLastPeriodEnd(frequency, zone, next - 1)).toBe(
          findLastPeriodEnd(frequency, zone, now),
        )
        const { period, before } = getPeriodsBefore(
          frequency,
          findLastPeriodEnd(frequency, zone, now),
        )
        expect(period.to * DAY_MS).toBeLessThan(toLocalTime(zone, now))
        expect(before.to + 1).toBe(period.from)
      },
    ),
  )
})

test('a month is compared with the previous month, even of a different length', () => {
  const march = Date.parse('2026-03-01') / DAY_MS
  expect(getPeriodsBefore('monthly', march)).toEqual({
    period: { from: march - 28, to: march - 1 },
    before: { from: march - 28 - 31, to: march - 29 },
  })
})
