import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseCount, parseDuration, parseEnd, parseId, parseLinks, parseTexts } from './values.ts'

const NOW = new Date('2030-05-01T12:00:00Z')

describe('parseDuration', () => {
  test.each([
    ['0', 0],
    ['1', 1000],
    ['90s', 90_000],
    ['30m', 1_800_000],
    ['1h', 3_600_000],
    ['7d', 604_800_000],
    ['3650d', 315_360_000_000],
  ])('parses %s as %d milliseconds', (value, milliseconds) => {
    expect(parseDuration('overlap', value)).toBe(milliseconds)
  })

  test.each(['', ' ', '-1', '1.5h', '1w', 'h', '1 h', '3651d', '999999999999d', '0x10', '1h30m'])(
    'rejects %j',
    (value) => {
      expect(() => parseDuration('overlap', value)).toThrow('overlap must be seconds or a time')
    },
  )
})

describe('parseId', () => {
  test('accepts positive whole numbers up to 2^53-1', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), (id) => {
        expect(parseId('id', String(id))).toBe(id)
      }),
    )
  })

  test.each(['', '0', '-1', '1.0', '1e3', '01', ' 1', 'one', '9007199254740992'])(
    'rejects %j',
    (value) => {
      expect(() => parseId('id', value)).toThrow('id must be a positive whole number')
    },
  )
})

describe('parseCount', () => {
  test('accepts zero and positive numbers', () => {
    expect(parseCount('seconds', '0')).toBe(0)
    expect(parseCount('seconds', '15')).toBe(15)
  })

  test.each(['', '-1', '1.5', 'ten', '1234567890'])('rejects %j', (value) => {
    expect(() => parseCount('seconds', value)).toThrow('seconds must be a whole number')
  })
})

describe('parseEnd', () => {
  test('reads a time, a day as its end, and "never"', () => {
    expect(parseEnd('at', '2031-01-02 03:04:05', NOW)).toEqual(new Date('2031-01-02T03:04:05Z'))
    expect(parseEnd('at', '2031-01-02', NOW)).toEqual(new Date('2031-01-02T23:59:59.999Z'))
    expect(parseEnd('at', 'never', NOW)).toBeNull()
  })

  test.each(['', 'soon', '2031-02-30', '2030-05-01 11:59:59'])('rejects %j', (value) => {
    expect(() => parseEnd('at', value, NOW)).toThrow(/^at /)
  })
})

describe('parseTexts', () => {
  test.each([
    ['Yes, No,Maybe', ['Yes', 'No', 'Maybe']],
    ['Yes, sure\nNo', ['Yes, sure', 'No']],
    ['["a, b","c\\nd"]', ['a, b', 'c\nd']],
    ['', []],
  ])('parses %j as %j', (value, texts) => {
    expect(parseTexts('options', value)).toEqual(texts)
  })

  test.each(['[1]', '[null]', '["a"', '[]x'])('rejects %j', (value) => {
    expect(() => parseTexts('options', value)).toThrow(/^options /)
  })
})

describe('parseLinks', () => {
  test.each([
    ['https://a.example/', [{ url: 'https://a.example/' }]],
    [
      'Shop=https://a.example/?x=1, https://b.example/',
      [{ title: 'Shop', url: 'https://a.example/?x=1' }, { url: 'https://b.example/' }],
    ],
    [
      'https://a.example/?to=https://b.example/',
      [{ url: 'https://a.example/?to=https://b.example/' }],
    ],
    [
      '[{"title":"A, b","url":"https://a.example/1,2"},"Blog=https://b.example/"]',
      [
        { title: 'A, b', url: 'https://a.example/1,2' },
        { title: 'Blog', url: 'https://b.example/' },
      ],
    ],
  ])('parses %j', (value, links) => {
    expect(parseLinks('links', value)).toEqual(links)
  })

  test.each([
    '[{"title":"A"}]',
    '[{"url":5}]',
    '[null]',
    '[{"url":"https://a.example","title":1}]',
  ])('rejects %j', (value) => {
    expect(() => parseLinks('links', value)).toThrow(/^links must each be/)
  })
})
