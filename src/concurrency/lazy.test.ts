import { expect, test } from 'vitest'
import { lazy } from './lazy.ts'

test('what is lazy is made when it is first asked for, and once', () => {
  let times = 0
  const number = lazy(() => {
    times += 1
    return { times }
  })
  expect(times).toBe(0)
  expect(number()).toBe(number())
  expect(times).toBe(1)
})
