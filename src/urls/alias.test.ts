import { describe, expect, test, vi } from 'vitest'
import { normalizeAlias, parseAlias, parseSlug, randomAlias } from './alias.ts'

describe('an alias', () => {
  test.each([
    'a',
    'Sale-2026',
    '_x_',
    '-',
    '日本語',
    'жук',
    'नमस्ते',
    'ไทยที่นี่',
    'လျှော့',
    'བསྒྲུབས',
    'ọjọ́',
    'محمّد',
    'שָׁלוֹם',
    '한국어',
    'Việt',
    '𖄀𖄡',
    'a'.repeat(64),
    '𝒜'.repeat(64),
    '1',
    'blog/post.html',
    'tag/ya',
    'v1.2..3',
    'docs.html',
    'a/.../b',
    'a/b/c/d/e/f/g/h',
    'книга/глава.1',
  ])('is accepted: %s', (alias) => {
    expect(parseAlias('custom', alias)).toBe(alias)
  })

  test('is stored in NFC, so that both encodings of a letter are the same alias', () => {
    expect(parseAlias('custom', 'Ma\u0308rz')).toBe('M\u00e4rz')
    const longest = `a${'\u{16126}'.repeat(63)}`
    expect(longest.normalize('NFD').length).toBeGreaterThan(256)
    expect(normalizeAlias(longest.normalize('NFD'))).toBe(longest)
  })

  test('is rejected without being normalized if it is very long', () => {
    const normalize = vi.spyOn(String.prototype, 'normalize')
    expect(normalizeAlias('a'.repeat(100_000))).toBeUndefined()
    expect(normalize).not.toHaveBeenCalled()
    normalize.mockRestore()
  })

  test.each([
    '',
    ' ',
    'a b',
    'a+',
    'a%20',
    '\u0000',
    '\ud800',
    'a\udc00b',
    '👍',
    'a'.repeat(65),
    '𝒜'.repeat(65),
    '\u0301a',
  ])('is rejected, and the error names the field: %j', (alias) => {
    expect(normalizeAlias(alias)).toBeUndefined()
    expect(() => parseAlias('custom', alias)).toThrow(/^custom must be 1 to 64/)
  })

  test.each(['.a', 'a.', '/a', 'a/', '.', '..', '/', 'a//b', 'a/./b', 'a/../b', '../a', 'a/..'])(
    'is rejected with dots or slashes elsewhere than in the middle: %j',
    (alias) => {
      expect(normalizeAlias(alias)).toBeUndefined()
      expect(() => parseAlias('custom', alias)).toThrow(
        'custom can have dots and slashes only in the middle, and no segment that is empty, . or ..',
      )
    },
  )

  test.each([
    ['a/b/c/d/e/f/g/h/i', 'custom must have at most 8 segments'],
    ['a\\b/c', 'custom must be 1 to 64 letters, digits, hyphens or underscores'],
    [`${'a'.repeat(32)}/${'b'.repeat(32)}`, 'custom must be 1 to 64 letters'],
    ['a/\u0301b', 'custom must not contain the combining mark U+0301 in this position'],
    ['a/\u200bb', 'custom must not contain the invisible character U+200B'],
  ])('with segments is rejected: %j', (alias, message) => {
    expect(() => parseAlias('custom', alias)).toThrow(message)
  })

  test('without dots and slashes is the name of a page', () => {
    expect(parseSlug('slug', 'summer')).toBe('summer')
    for (const value of ['a.b', 'a/b']) {
      expect(() => parseSlug('slug', value)).toThrow('slug must be 1 to 64 letters')
    }
  })

  test.each([
    ['zero-width space', 'a\u200bb', 'U+200B'],
    ['joiner', 'a\u200d', 'U+200D'],
    ['byte order mark', '\ufeffa', 'U+FEFF'],
    ['soft hyphen', 'a\u00ad', 'U+00AD'],
    ['bidi control', '\u202eabc', 'U+202E'],
    ['variation selector', 'a\ufe0f', 'U+FE0F'],
    ['supplementary variation selector', 'a\u{e0100}', 'U+E0100'],
    ['grapheme joiner', 'a\u034f', 'U+034F'],
    ['Mongolian variation selector', 'a\u180b', 'U+180B'],
    ['Khmer inherent vowel', 'a\u17b4', 'U+17B4'],
    ['Hangul filler', '\u3164', 'U+3164'],
    ['Hangul choseong filler', 'a\u115f', 'U+115F'],
    ['Hangul jungseong filler', '\u1160', 'U+1160'],
    ['halfwidth Hangul filler', '\uffa0', 'U+FFA0'],
    ['Khitan filler', '\u{18b00}\u{16fe4}', 'U+16FE4'],
    ['full Egyptian blank', 'a\u{13441}', 'U+13441'],
    ['half Egyptian blank', '\u{13442}', 'U+13442'],
    ['tag', 'a\u{e0041}', 'U+E0041'],
  ])('is rejected with a %s, and the error names its code point', (_name, alias, codePoint) => {
    const message = `custom must not contain the invisible character ${codePoint}`
    expect(() => parseAlias('custom', alias)).toThrow(message)
  })

  test.each([
    ['after a hyphen', 'a-\u0301', 'U+0301'],
    ['after a digit', '1\u0307', 'U+0307'],
    ['around a letter', 'a\u20dd', 'U+20DD'],
    ['across a letter', 'o\u0338', 'U+0338'],
    ['twice', 'x\u0301\u0301', 'U+0301'],
    ['twice, once within the letter', '\u00e0\u0300', 'U+0300'],
    ['that is the fifth', 'x\u0300\u0301\u0302\u0303\u0304', 'U+0304'],
    ['that a dot hides', 'i\u0307', 'U+0307'],
  ])(
    'is rejected with a combining mark %s, and the error names its code point',
    (_name, alias, codePoint) => {
      const message = `custom must not contain the combining mark ${codePoint} in this position`
      expect(() => parseAlias('custom', alias)).toThrow(message)
    },
  )

  test.each([
    'api',
    'API',
    'Register',
    'qr',
    'docs',
    'login',
    'well-known',
    'Robots.txt',
    'api/v2',
    'CONSOLE/x.y',
  ])('is rejected if it is reserved: %s', (alias) => {
    expect(() => parseAlias('custom', alias)).toThrow('custom is a reserved word')
  })

  test('has seven unambiguous characters if it is random', () => {
    const aliases = Array.from({ length: 2000 }, randomAlias)
    expect(new Set(aliases).size).toBe(2000)
    for (const alias of aliases) expect(alias).toMatch(/^[^\W_0O1lIio]{7}$/)
  })
})
