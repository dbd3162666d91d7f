import { describe, expect, test } from 'vitest'
import { normalizeOptionalText, requireText } from './text.ts'

describe('requireText', () => {
  test('trims surrounding whitespace only', () => {
    expect(requireText('name', ' \n two  words\t', 10)).toBe('two  words')
  })

  test('counts characters, not code units', () => {
    expect(requireText('name', '😀'.repeat(3), 3)).toBe('😀'.repeat(3))
    expect(() => requireText('name', '😀'.repeat(4), 3)).toThrow(
      'name must be at most 3 characters long',
    )
  })

  test.each(['', ' ', '\n\t\u00a0'])('rejects %j', (value) => {
    expect(() => requireText('name', value, 3)).toThrow('name must not be empty')
  })

  test.each(['a\0b', '\ud800', 'a\udc00'])('rejects %j', (value) => {
    expect(() => requireText('name', value, 3)).toThrow(
      'name must be text without NUL characters or broken surrogates',
    )
  })
})

describe('normalizeOptionalText', () => {
  test.each([undefined, '', '  '])('returns null for %j', (value) => {
    expect(normalizeOptionalText('text', value, 3)).toBe(null)
  })

  test('otherwise behaves like requireText', () => {
    expect(normalizeOptionalText('text', ' a ', 3)).toBe('a')
    expect(() => normalizeOptionalText('text', 'long', 3)).toThrow(
      'text must be at most 3 characters long',
    )
  })
})
