import { expect, test } from 'vitest'
import { idArray } from './arrays.ts'

test.for([
  [[], '{}'],
  [[7], '{7,7,7,7,7,7,7,7,7,7}'],
  [[3, 1, 2], '{3,1,2,2,2,2,2,2,2,2}'],
  [[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11], '{1,2,3,4,5,6,7,8,9,10,11}'],
] as const)('the IDs %j are formatted as %s, with at least ten elements', ([ids, text]) => {
  expect(idArray(ids)).toBe(text)
})
