import { isUtf8 } from 'node:buffer'
import fc from 'fast-check'
import { afterEach, describe, expect, test, vi } from 'vitest'
import {
  anyEncoding,
  anyFormat,
  anyOptions,
  anyUrl,
  base64,
  encodedExampleUrl,
  encodings,
  exampleUrl,
  manySlashes,
  optionNames,
  urlSegment,
} from '../../../test/fixtures/legacy-paths.ts'
import { parsePath, readFormat } from './grammar.ts'

const nothingOptional = {
  customUrl: undefined,
  password: undefined,
  expiryDate: undefined,
  baseDomain: undefined,
}

describe('parsePath', () => {
  test.each(Object.entries(encodings))('reads any URL written as %s, in any order', (_, encode) => {
    fc.assert(
      fc.property(anyUrl, anyOptions, fc.nat(4), anyFormat, (url, pairs, position, extension) => {
        const segments = pairs.map(([name, value]) => `${name}/${encodeURIComponent(value)}`)
        segments.splice(position, 0, `url/${encode(url)}`)
        const input = new Map(pairs)
        expect(parsePath(`create/${segments.join('/')}.${extension}`)).toEqual({
          operation: 'create',
          format: extension,
          url,
          customUrl: input.get('custom_url'),
          password: input.get('password'),
          expiryDate: input.get('expiry_date'),
          baseDomain: input.get('base_domain'),
        })
      }),
      { numRuns: 1000 },
    )
  })

  test('reads any short URL in any encoding, for each operation that has one', () => {
    const operations = fc.constantFrom('disable' as const, 'enable' as const, 'info' as const)
    const shortUrl = fc.oneof(
      anyUrl,
      anyUrl.map((url) => url.replace(/^https?:\/\//i, '')),
      fc.constant('s.example/größe'),
    )
    fc.assert(
      fc.property(
        operations,
        shortUrl,
        anyEncoding,
        anyFormat,
        (operation, url, encode, extension) => {
          const path = `${operation}/short_url/${encode(url)}.${extension}`
          expect(parsePath(path)).toEqual({ operation, format: extension, shortUrl: url })
        },
      ),
      { numRuns: 1000 },
    )
  })

  test('reads values that contain the segment "url" or many segments', () => {
    const url = `http://example.org/${'a'.repeat(2)}${urlSegment}`
    expect(base64(url)).toContain('/url/')
    expect(parsePath(`create/url/${base64(url)}/password/url.json`)).toMatchObject({
      url,
      password: 'url',
    })
    const urlWithManySegments = `http://a.example/${manySlashes.repeat(300)}`
    expect(base64(urlWithManySegments).split('/').length).toBeGreaterThan(500)
    expect(parsePath(`create/url/${base64(urlWithManySegments)}/password/p.json`)).toMatchObject({
      url: urlWithManySegments,
      password: 'p',
    })
  })

  test('base64-encoded UTF-8 text never contains the segment password', () => {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'.split('')
    // As the first base64 digit, these start UTF-8 characters of every length.
    const firstDigits = 'Agtw4789'.split('')
    const prefixes = ['', ...alphabet]
    for (const a of firstDigits) for (const b of alphabet) prefixes.push(a + b)
    for (const a of firstDigits)
      for (const b of alphabet) for (const c of alphabet) prefixes.push(a + b + c)
    const valid = prefixes
      .flatMap((prefix) =>
        ['', '/A', '/QA', '/gAA', '/wAAA'].map((end) => `${prefix}/password${end}`),
      )
      .filter((value) => isValidText(value.padEnd(Math.ceil(value.length / 4) * 4, 'A')))
    expect(valid).toEqual([])
    // Verifies that the search finds a segment that text can contain.
    expect(prefixes.some((prefix) => isValidText(`${prefix}/url/QA`))).toBe(true)
  })

  test('reads the documented paths', () => {
    expect(
      parsePath(
        `create/custom_url/sale/password/s3cret/expiry_date/2031-01-02/url/${encodedExampleUrl}.json`,
      ),
    ).toEqual({
      operation: 'create',
      format: 'json',
      url: exampleUrl,
      customUrl: 'sale',
      password: 's3cret',
      expiryDate: '2031-01-02',
      baseDomain: undefined,
    })
    expect(parsePath(`create/url/${encodedExampleUrl}.xml`)).toEqual({
      operation: 'create',
      format: 'xml',
      url: exampleUrl,
      ...nothingOptional,
    })
    expect(parsePath('list_active_urls.json')).toEqual({
      operation: 'list_active_urls',
      format: 'json',
    })
    expect(parsePath('list_active_urls.xml')).toEqual({
      operation: 'list_active_urls',
      format: 'xml',
    })
  })

  test('treats only the last extension as the format', () => {
    expect(parsePath(`create/url/${encodedExampleUrl}/password/p.json.xml`)).toMatchObject({
      format: 'xml',
      password: 'p.json',
    })
    expect(
      parsePath(`create/password/a%2Fb.json%2Furl/url/${encodedExampleUrl}.json`),
    ).toMatchObject({
      format: 'json',
      password: 'a/b.json/url',
      url: exampleUrl,
    })
  })

  test('keeps a plus in plain values and reads a percent-encoded space', () => {
    expect(parsePath(`create/password/a+b%20c/url/${encodedExampleUrl}.json`)).toMatchObject({
      password: 'a+b c',
    })
  })

  test.each(Object.entries(encodings))(
    'accepts a URL of 8,192 bytes written as %s',
    (_, encode) => {
      const url = `https://example.com/${'?~ÿ'.repeat(3000)}`.slice(0, 6149).padEnd(6149, 'x')
      const exact = url + 'y'.repeat(8192 - Buffer.byteLength(url))
      expect(Buffer.byteLength(exact)).toBe(8192)
      expect(parsePath(`create/url/${encode(exact)}/custom_url/c.json`)).toMatchObject({
        url: exact,
      })
    },
  )

  test('returns a call or throws an AppError for any input', () => {
    const piece = fc.oneof(
      fc.constantFrom('create', 'info', 'url', 'short_url', ...optionNames, '/', '//', '%', '='),
      fc.constantFrom(
        '.json',
        '.xml',
        'YQ',
        'YWJj',
        encodedExampleUrl,
        '%2F',
        '%c3%28',
        '__proto__',
      ),
      fc.string(),
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), fc.boolean(), (pieces, prefixed) => {
        const path = (prefixed ? 'create/' : '') + pieces.join('/')
        const format = readFormat(path)
        let outcome: unknown
        try {
          outcome = parsePath(path)
        } catch (error) {
          outcome = error
        }
        expect([
          expect.objectContaining({ format }),
          expect.objectContaining({ name: 'AppError', code: 'invalid_input' }),
          expect.objectContaining({ name: 'AppError', code: 'not_found' }),
        ]).toContainEqual(outcome)
      }),
      { numRuns: 2000 },
    )
  })
})

describe('processing a long path', () => {
  afterEach(() => {
    vi.restoreAllMocks()
  })

  test.each([
    ['url segments', `create${'/url'.repeat(10_000)}.json`],
    ['url segments after a value', `create/url/YWJj${'/url/YWJj'.repeat(4000)}.json`],
    ['password pairs', `create${'/password/a'.repeat(3600)}.json`],
    ['password segments', `create/url/YWJj${'/password'.repeat(4400)}.json`],
    ['empty segments', `create/url/YWJj${'/'.repeat(40_000)}.json`],
    ['short base64 segments', `create/url${'/YWJj'.repeat(8000)}.json`],
    ['endings', `create/url/YWJj/password/a${'.json'.repeat(8000)}`],
    ['padding', `create/url/${'='.repeat(40_000)}.json`],
    ['short_url segments', `info${'/short_url'.repeat(4000)}.json`],
    ['a long operation', `${'a'.repeat(40_000)}.json`],
  ])('decodes each character at most once: %s', (_, path) => {
    const percentDecoder = vi.spyOn(globalThis, 'decodeURIComponent')
    const base64Decoder = vi.spyOn(Buffer, 'from')
    try {
      parsePath(path)
    } catch (error) {
      expect(error).toMatchObject({ name: 'AppError' })
    }
    for (const spy of [percentDecoder, base64Decoder]) {
      expect(spy.mock.calls.length).toBeLessThanOrEqual(5)
      const characters = spy.mock.calls.map(([value]) => String(value).length)
      expect(characters.reduce((sum, length) => sum + length, 0)).toBeLessThanOrEqual(path.length)
    }
  })
})

describe('readFormat', () => {
  test.each([
    ['create/url/YQ.xml', 'xml'],
    ['/api/v1/key/shorturl/nonsense.xml', 'xml'],
    ['create/url/YQ.json', 'json'],
    ['create/url/YQ', 'json'],
    ['create/url/YQ.xml/', 'json'],
    ['create/url/YQ.xml.json', 'json'],
    ['xml', 'json'],
    ['', 'json'],
  ])('for the path %j, returns %s', (path, expected) => {
    expect(readFormat(path)).toBe(expected)
  })
})

function isValidText(value: string): boolean {
  return isUtf8(Buffer.from(value, 'base64'))
}
