import { expect, test } from 'vitest'
import { createHostThrottle } from './probe.ts'

test('the throttle delays repeated requests to a host by a second each, without delaying other hosts', () => {
  const reserve = createHostThrottle(1000)
  expect([reserve('a', 0), reserve('a', 0), reserve('a', 500)]).toEqual([0, 1000, 1500])
  expect(reserve('b', 500)).toBe(0)
  expect(reserve('a', 10_000)).toBe(0)
})

test('the throttle removes hosts whose last delay is over', () => {
  const reserve = createHostThrottle(1000)
  for (let index = 0; index < 20_000; index += 1) reserve(`host-${index}`, index)
  expect([reserve('host-0', 20_000), reserve('host-19999', 20_000)]).toEqual([0, 999])
})
