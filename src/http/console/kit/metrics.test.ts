import { expect, test } from 'vitest'
import { describeChange } from './metrics.ts'

test.each([
  [0, 0, 'No clicks in the previous 30 days'],
  [5, 0, 'No clicks in the previous 30 days'],
  [5, 5, 'No change vs. previous 30 days (5)'],
  [0, 5, '−5 vs. previous 30 days (5)'],
  [66, 19, '+47 vs. previous 30 days (19)'],
  [0, 20, '↓ 100% vs. previous 30 days (20)'],
  [10_990, 1000, '↑ 999% vs. previous 30 days (1,000)'],
  [69_000, 1000, '×69 vs. previous 30 days (1,000)'],
])('the change to %i clicks from %i is described as %s', (total, before, text) => {
  expect(describeChange({ total, before }, 'previous 30 days')).toBe(text)
})
