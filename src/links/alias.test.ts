import { describe, expect, test } from 'vitest'
import { normalizeAlias, parseAlias, randomAlias } from './alias.ts'

describe('an alias', () => {
  test.each(['a', 'Sale-2026', '_x_', '日本語', 'жук', 'a'.repeat(64), '1'])(
    '%s is taken',
    (alias) => {
      expect(parseAlias('custom', alias)).toBe(alias)
    },
  )

  test('is stored composed, so that both spellings of a letter are one alias', () => {
    expect(parseAlias('custom', 'Ma\u0308rz')).toBe('M\u00e4rz')
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
    '👍',
    'a'.repeat(65),
    '\u0301a',
  ])('%j is refused by name', (alias) => {
    expect(normalizeAlias(alias)).toBeUndefined()
    expect(() => parseAlias('custom', alias)).toThrow(/^custom must be 1 to 64/)
  })

  test.each(['api', 'API', 'Register', 'qr', 'docs', 'metrics'])('%s is reserved', (alias) => {
    expect(() => parseAlias('custom', alias)).toThrow('custom is a reserved word')
  })

  test('made at random is seven characters that cannot be mistaken for one another', () => {
    const aliases = Array.from({ length: 2000 }, randomAlias)
    expect(new Set(aliases).size).toBe(2000)
    for (const alias of aliases) expect(alias).toMatch(/^[^\W_0O1lIio]{7}$/)
  })
})
