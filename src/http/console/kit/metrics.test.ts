import { expect, test } from 'vitest'
import { describeChange } from './metrics.ts'

test.each([
  [0, 0, 'No clicks in the previous 30 days'],
  [5, 0, 'No clicks in the previous 30 days'],
  [5, 5, 'No change vs. previous 30 days (5)'],
  [0, 5, '↓ 100% vs. previous 30 days (5)'],
  [30_000, 1000, '↑ 2,900% vs. previous 30 days (1,000)'],
])('the change to %i clicks from %i is described as %s', (total, before, text) => {
  expect(describeChange({ total, before }, 'previous 30 days')).toBe(text)
})
