import { expect, test } from 'vitest'
import { lazy } from './lazy.ts'

test('creates the value once, on first use', () => {
  let times = 0
  const number = lazy(() => {
    times += 1
    return { times }
  })
  expect(times).toBe(0)
  expect(number()).toBe(number())
  expect(times).toBe(1)
})
