import { describe, expect, test, vi } from 'vitest'
import { normalizeAlias, parseAlias, randomAlias } from './alias.ts'

describe('an alias', () => {
  test.each([
    'a',
    'Sale-2026',
    '_x_',
    '-',
    '日本語',
    'жук',
    'नमस्ते',
    'a'.repeat(64),
    '𝒜'.repeat(64),
    '1',
  ])('%s is taken', (alias) => {
    expect(parseAlias('custom', alias)).toBe(alias)
  })

  test('is stored composed, so that both spellings of a letter are one alias', () => {
    expect(parseAlias('custom', 'Ma\u0308rz')).toBe('M\u00e4rz')
    const longest = `a${'\u{16126}'.repeat(63)}`
    expect(longest.normalize('NFD').length).toBeGreaterThan(256)
    expect(parseAlias('custom', longest.normalize('NFD'))).toBe(longest)
  })

  test('far too long is refused without being composed first', () => {
    const normalize = vi.spyOn(String.prototype, 'normalize')
    expect(normalizeAlias('a'.repeat(100_000))).toBeUndefined()
    expect(normalize).not.toHaveBeenCalled()
    normalize.mockRestore()
  })

  test.each([
    '',
    ' ',
    'a b',
    'a/b',
    'a.b',
    'a+',
    'a%20',
    '\u0000',
    '\ud800',
    'a\udc00b',
    '👍',
    'a'.repeat(65),
    '𝒜'.repeat(65),
    '\u0301a',
  ])('%j is refused by name', (alias) => {
    expect(normalizeAlias(alias)).toBeUndefined()
    expect(() => parseAlias('custom', alias)).toThrow(/^custom must be 1 to 64/)
  })

  test.each(['api', 'API', 'Register', 'qr', 'docs', 'login', 'well-known'])(
    '%s is reserved',
    (alias) => {
      expect(() => parseAlias('custom', alias)).toThrow('custom is a reserved word')
    },
  )

  test('made at random is seven characters that cannot be mistaken for one another', () => {
    const aliases = Array.from({ length: 2000 }, randomAlias)
    expect(new Set(aliases).size).toBe(2000)
    for (const alias of aliases) expect(alias).toMatch(/^[^\W_0O1lIio]{7}$/)
  })
})
