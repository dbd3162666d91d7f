import { expect, test } from 'vitest'
import { NO_LABELS } from '../../../test/support/clicks.ts'
import { createBusyVisitors } from './busy-visitors.ts'

const START = Date.UTC(2026, 10, 20, 12)
const person = (visitor: bigint) => ({ ...NO_LABELS, visitor, crawler: false })

/** Returns how many of these clicks, given in milliseconds from the start, are marked. */
function countMarked(times: readonly number[], busy = createBusyVisitors(), visitor = 1n) {
  return times.filter((ms) => busy.mark(person(visitor), START + ms).automated === 'likely').length
}
const clicks = (count: number, fromMs = 0) => Array.from({ length: count }, () => fromMs)

test.for([
  ['20 clicks of a visitor in a minute are not marked', clicks(20), 0],
  ['from the 21st on, they are', clicks(25, 59_999), 5],
  ['clicks of two minutes are not added up', [...clicks(20, 59_999), ...clicks(20, 60_000)], 0],
  ['all clicks in the minute after are marked', [...clicks(21), ...clicks(3, 60_000)], 4],
  ['but not those after a pause', [...clicks(21), ...clicks(3, 120_000)], 1],
  [
    'clicks that are read later than others count in their minute',
    [...clicks(10), ...clicks(9, 60_000), ...clicks(11)],
    1,
  ],
] as const)('%s', ([_title, times, expected]) => {
  expect(countMarked(times)).toBe(expected)
})

test('each visitor is counted alone, and crawlers are not', () => {
  const busy = createBusyVisitors()
  countMarked(clicks(20), busy)
  expect(countMarked(clicks(20), busy, 2n)).toBe(0)
  expect(busy.mark({ ...person(1n), crawler: true }, START).automated).toBeUndefined()
  expect(countMarked(clicks(1), busy)).toBe(1)
})

test('too many visitors of a minute are forgotten, and never marked', () => {
  const busy = createBusyVisitors()
  countMarked(clicks(20), busy)
  for (let visitor = 2n; visitor <= 200_000n; visitor += 1n) busy.mark(person(visitor), START)
  expect(countMarked(clicks(20), busy)).toBe(0)
  expect(countMarked(clicks(1), busy)).toBe(1)
})

test('every visitor is counted, also those whose hash has only zeros or ones', () => {
  for (const visitor of [0n, -1n, 1n << 32n, -(2n ** 63n), 2n ** 63n - 1n]) {
    expect(countMarked(clicks(22), undefined, visitor)).toBe(2)
  }
})

test('clicks that are read more than a minute late are not marked', () => {
  expect(countMarked([...clicks(1, 120_000), ...clicks(30)])).toBe(0)
})

test('nothing is known after it is cleared', () => {
  const busy = createBusyVisitors()
  countMarked([...clicks(21)], busy)
  busy.clear()
  expect(countMarked([...clicks(20), ...clicks(20, 60_000)], busy)).toBe(0)
})
