import { expect, test } from 'vitest'
import { changeText } from './change.ts'

test.each([
  [0, 0, 'None in the 30 days before.'],
  [5, 0, 'None in the 30 days before.'],
  [5, 5, 'As many as in the 30 days before (5).'],
  [0, 5, '100 % fewer than in the 30 days before (5).'],
  [30_000, 1000, '2,900 % more than in the 30 days before (1,000).'],
])('%i clicks after %i are: %s', (total, before, text) => {
  expect(changeText({ total, before }, 'in the 30 days before')).toBe(text)
})
