import { describe, expect, test } from 'vitest'
import { formatTime, isWithinHours, readTime } from './time-condition.ts'

const toDate = (moment: string) => new Date(moment)

describe('hours in a time zone', () => {
  const officeHours = {
    days: ['mon', 'tue', 'wed', 'thu', 'fri'],
    from: '09:00',
    until: '17:00',
    zone: 'Europe/Berlin',
  } as const

  test.each([
    // Daylight saving time, UTC+2; then standard time, UTC+1.
    ['2026-10-23T06:59:59Z', false],
    ['2026-10-23T07:00:00Z', true],
    ['2026-10-23T14:59:59Z', true],
    ['2026-10-23T15:00:00Z', false],
    ['2026-10-26T07:59:59Z', false],
    ['2026-10-26T08:00:00Z', true],
    ['2026-10-26T15:59:59Z', true],
    ['2026-10-26T16:00:00Z', false],
    // A Saturday.
    ['2026-10-24T10:00:00Z', false],
  ])('include %s: %s', (moment, isMatch) => {
    expect(isWithinHours(officeHours, toDate(moment))).toBe(isMatch)
  })

  test('last twice as long when clocks are set back', () => {
    const hour = { from: '02:00', until: '03:00', zone: 'Europe/Berlin' }
    for (const moment of ['00:00:00', '00:59:59', '01:00:00', '01:59:59']) {
      expect(isWithinHours(hour, toDate(`2026-10-25T${moment}Z`)), moment).toBe(true)
    }
    expect(isWithinHours(hour, toDate('2026-10-24T23:59:59Z'))).toBe(false)
    expect(isWithinHours(hour, toDate('2026-10-25T02:00:00Z'))).toBe(false)
  })

  test('do not occur when clocks skip them', () => {
    const hour = { from: '02:00', until: '03:00', zone: 'Europe/Berlin' }
    for (let minute = 0; minute < 24 * 60; minute += 10) {
      // Starts at 22:00 UTC of the previous day, before the Sunday begins in Berlin.
      const moment = new Date(Date.UTC(2026, 2, 29, 0, minute) - 7_200_000)
      const isSunday = moment.getTime() >= Date.UTC(2026, 2, 28, 23)
      if (isSunday) expect(isWithinHours(hour, moment), moment.toISOString()).toBe(false)
    }
    const day = { from: '01:30', until: '03:30', zone: 'Europe/Berlin' }
    expect(isWithinHours(day, toDate('2026-03-29T00:59:59Z'))).toBe(true)
    expect(isWithinHours(day, toDate('2026-03-29T01:29:59Z'))).toBe(true)
    expect(isWithinHours(day, toDate('2026-03-29T01:30:00Z'))).toBe(false)
  })

  test('after midnight belong to the previous day', () => {
    const night = {
      days: ['fri'],
      from: '22:00',
      until: '04:00',
      zone: 'America/New_York',
    } as const
    expect(isWithinHours(night, toDate('2026-11-21T03:00:00Z'))).toBe(true)
    expect(isWithinHours(night, toDate('2026-11-21T08:59:59Z'))).toBe(true)
    expect(isWithinHours(night, toDate('2026-11-21T09:00:00Z'))).toBe(false)
    expect(isWithinHours(night, toDate('2026-11-20T08:00:00Z'))).toBe(false)
    expect(isWithinHours(night, toDate('2026-11-22T03:00:00Z'))).toBe(false)
  })

  test('may have only a start or an end', () => {
    expect(isWithinHours({ from: '18:00', zone: 'UTC' }, toDate('2026-01-01T23:59:59Z'))).toBe(true)
    expect(isWithinHours({ until: '18:00', zone: 'UTC' }, toDate('2026-01-01T00:00:00Z'))).toBe(
      true,
    )
    expect(isWithinHours({ until: '18:00', zone: 'UTC' }, toDate('2026-01-01T18:00:00Z'))).toBe(
      false,
    )
  })
})

test.each([
  [null, 'time must be an object with days, from, until, or zone'],
  [{}, 'time must have days, from, or until'],
  [{ zone: 'UTC' }, 'time must have days, from, or until'],
  [{ days: [] }, 'time.days must be a list of 1 to 7 days'],
  [{ days: ['mon', 'someday'] }, 'time.days[1] must be one of mon, tue'],
  [{ from: '9:00' }, 'time.from must have the form HH:MM'],
  [{ until: '24:00' }, 'time.until must have the form HH:MM'],
  [{ from: '09:00', until: '09:00' }, 'time.until must differ from the start'],
  [{ from: '09:00', zone: 'Mars/Olympus' }, 'time.zone must be a time zone such as Europe/Berlin'],
  [{ from: '09:00', zone: '+02:00' }, 'time.zone must be a time zone such as Europe/Berlin'],
  [{ from: '09:00', hours: 3 }, 'time.hours is not known'],
])('the time condition %j is rejected: %s', (input, message) => {
  expect(() => readTime('time', input)).toThrow(message)
})

test.each([
  [
    { days: ['fri', 'mon'], from: '09:00', zone: 'Europe/Berlin' },
    'mon,fri 09:00-24:00 Europe/Berlin',
  ],
  [{ days: ['sat', 'sun'] }, 'sat,sun UTC'],
  [{ until: '06:00' }, '00:00-06:00 UTC'],
])('the time condition %j is formatted as %s', (input, formatted) => {
  expect(formatTime(readTime('time', input))).toBe(formatted)
})
