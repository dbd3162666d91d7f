import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  findPreferredLanguage,
  getLanguageName,
  listLanguageNames,
  matchLanguage,
  parseAcceptLanguage,
  parseLanguageTarget,
  toLanguageLabel,
} from './language.ts'

describe('parseLanguageTarget', () => {
  test.each([
    ['en', 'en'],
    [' EN\n', 'en'],
    ['en-GB', 'en-gb'],
    ['en_gb', 'en-gb'],
    ['en-UK', 'en-gb'],
    ['es-419', 'es-419'],
    ['iw', 'he'],
    ['no', 'no'],
    ['nb', 'nb'],
    ['French', 'fr'],
    ['norwegian', 'no'],
    ['Chinese', 'zh'],
  ])('parses %j as %s', (tag, key) => {
    expect(parseLanguageTarget(tag)).toBe(key)
  })

  test.each([
    '',
    ' ',
    'zz',
    'xx-US',
    'en-zz',
    'en-',
    '-gb',
    'en-gb-x',
    'eng',
    'zh-Hant',
    'e',
    '*',
    'klingon',
    '__proto__',
    'constructor',
    'en-000',
    'x'.repeat(10_000),
  ])('returns undefined for unknown name %#', (tag) => {
    expect(parseLanguageTarget(tag)).toBeUndefined()
  })

  test('accepts the codes of ISO 639-1, and is idempotent', () => {
    const letters = [...'abcdefghijklmnopqrstuvwxyz']
    const codes = letters.flatMap((first) => letters.map((second) => first + second))
    const keys = codes.map(parseLanguageTarget).filter((key) => key !== undefined)
    expect(new Set(keys).size).toBeGreaterThanOrEqual(180)
    for (const key of keys) if (key.length === 2) expect(parseLanguageTarget(key)).toBe(key)
  })
})

describe('parseAcceptLanguage', () => {
  test.each<[string | undefined, string[]]>([
    [undefined, []],
    ['', []],
    ['*', []],
    ['en-GB', ['en-gb']],
    ['de;q=0.5, fr, en-US;q=0.8', ['fr', 'en-us', 'de']],
    ['en, de', ['en', 'de']],
    ['de;q=0, en, *;q=0.1', ['en']],
    ['de;q=x, en', ['en']],
    [',,;;,a b, "x", en', ['en']],
  ])('parses %j as %j', (header, tags) => {
    expect(parseAcceptLanguage(header)).toEqual(tags)
  })

  test('reads at most 256 characters and no truncated tag', () => {
    const header = Array.from({ length: 100 }, () => 'en-GB').join(',')
    const tags = parseAcceptLanguage(header)
    // 42 repetitions of `en-GB,` make 252 characters.
    expect(tags).toHaveLength(42)
    expect(new Set(tags)).toEqual(new Set(['en-gb']))
    expect(parseAcceptLanguage('a'.repeat(100_000))).toEqual([])
  })

  test('never throws for any header', () => {
    const header = fc.oneof(
      fc.string(),
      fc.array(fc.constantFrom('en', '-', 'GB', ';', 'q', '=', '0.5', ',', '*', ' ', '"', '\\'), {
        maxLength: 60,
      }),
    )
    fc.assert(
      fc.property(header, (value) => {
        const text = typeof value === 'string' ? value : value.join('')
        for (const tag of parseAcceptLanguage(text)) expect(tag).toMatch(/^[a-z0-9-]+$/)
        expect(matchLanguage(['en'], text)).toBeGreaterThanOrEqual(-1)
      }),
    )
  })
})

describe('matchLanguage', () => {
  test.each<[string[], string | undefined, number]>([
    [['en', 'en-gb'], 'en-GB', 1],
    [['fr', 'en'], 'en-GB', 1],
    [['en-gb'], 'en', -1],
    [['en-gb'], 'en-US', -1],
    [['en', 'de'], 'de,en;q=0.9', 1],
    [['en', 'de'], 'fr,en;q=0.5,de;q=0.6', 1],
    [['en', 'en-us'], 'en-GB,en-US;q=0.9', 0],
    [['zh', 'zh-tw'], 'zh-Hant-TW', 1],
    [['he'], 'iw', 0],
    [['en'], 'en;q=0', -1],
    [['en'], '*', -1],
    [['en'], undefined, -1],
    [['en'], 'x-y-z', -1],
    [[], 'en', -1],
  ])('of %j, with the header %j, returns the index %i', (targets, header, index) => {
    expect(matchLanguage(targets, header)).toBe(index)
  })
})

describe('the preferred language', () => {
  test.each([
    ['de-AT,de;q=0.9,en;q=0.5', 'de'],
    ['en;q=0.5, fr-CA;q=0.8', 'fr'],
    ['zh-Hant-TW', 'zh'],
    ['iw', 'he'],
    ['haw', 'haw'],
    ['*', undefined],
    ['', undefined],
    [undefined, undefined],
    ['xx, qqq, de', 'de'],
    ['en;q=0', undefined],
  ])('of %s is %s', (header, expected) => {
    expect(findPreferredLanguage(header)).toBe(expected)
  })
})

describe('the name of a language', () => {
  test.each([
    ['de', 'German'],
    ['haw', 'Hawaiian'],
    [undefined, 'Unknown'],
    ['a`', 'Unknown'],
    ['qqq', 'Unknown'],
  ])('with the code %s is %s', (code, expected) => {
    expect(getLanguageName(code)).toBe(expected)
  })
})

describe('language names', () => {
  test('are parsed back to their own languages', () => {
    const names = listLanguageNames()
    expect(new Set(names).size).toBe(names.length)
    expect(names).toEqual(expect.arrayContaining(['English', 'French', 'German']))
    for (const name of names) expect(toLanguageLabel(parseLanguageTarget(name) ?? '')).toBe(name)
  })
})

describe('the label of a language target', () => {
  test.each([
    ['fr', 'French'],
    ['en-gb', 'en-gb'],
    ['xx', 'xx'],
  ])('%s is %s', (target, label) => expect(toLanguageLabel(target)).toBe(label))
})
