import { expect, test } from 'vitest'
import { requireBoundedText } from './lengths.ts'

test.each(['', 'x'.repeat(8), '𝒜'.repeat(8), ' a\nb '])(
  'a text within the limit is returned unchanged: %j',
  (text) => {
    expect(requireBoundedText('meta.title', text, 8)).toBe(text)
  },
)

test.each([
  ['x'.repeat(9), 'must be at most 8 characters long'],
  ['𝒜'.repeat(9), 'must be at most 8 characters long'],
  ['x'.repeat(100_000), 'must be at most 8 characters long'],
  ['a\0b', 'must be text without NUL characters or broken surrogates'],
  ['a\ud800', 'must be text without NUL characters or broken surrogates'],
])('a text is rejected, and the error names the field: %j', (text, problem) => {
  expect(() => requireBoundedText('meta.title', text, 8)).toThrow(`meta.title ${problem}`)
})
