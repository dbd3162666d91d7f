import { expect, test } from 'vitest'
import { lazy } from './memo.ts'

test('a lazy value is created once, on first use', () => {
  let calls = 0
  const getObject = lazy(() => {
    calls += 1
    return { calls }
  })
  expect(calls).toBe(0)
  expect(getObject()).toBe(getObject())
  expect(calls).toBe(1)
})
