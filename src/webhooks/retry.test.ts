import { expect, test } from 'vitest'
import { getPause, getRetryDelay, parseRetryAfter } from './retry.ts'

test('a message is sent up to ten times within about three days', () => {
  const delays = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((attempts) => getRetryDelay(attempts, 0) ?? 0)
  expect(delays.map((delay) => delay / 1000)).toEqual([
    5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400,
  ])
  expect(getRetryDelay(10, 0)).toBeUndefined()
  expect(getRetryDelay(1, 1)).toBe(5500)
})

test('a failing endpoint is paused longer after each failure, up to five minutes', () => {
  expect([1, 2, 5, 9, 5000].map(getPause)).toEqual([2000, 4000, 32_000, 300_000, 300_000])
})

test.each([
  ['120', 120_000],
  ['Sat, 01 Jan 2028 00:01:00 GMT', 60_000],
  ['99999999', 86_400_000],
  ['Fri, 01 Jan 2021 00:00:00 GMT', 0],
  ['-5', 0],
  ['soon', 0],
  ['', 0],
])('retry-after "%s" means %i ms', (header, delay) => {
  expect(parseRetryAfter(header, new Date('2028-01-01T00:00:00Z'))).toBe(delay)
})
