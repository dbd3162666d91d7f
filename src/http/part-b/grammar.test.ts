import { isUtf8 } from 'node:buffer'
import fc from 'fast-check'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { formatOf, parsePath } from './grammar.ts'

const base64 = (text: string) => Buffer.from(text, 'utf8').toString('base64')
const target = 'https://example.com/a?b=c'
const encodedTarget = base64(target)
const nothingOptional = {
  customUrl: undefined,
  password: undefined,
  expiryDate: undefined,
  baseDomain: undefined,
}

/** The six ways in which clients write base64 into a path. */
const spellings: Record<string, (text: string) => string> = {
  'standard, padded': (text) => base64(text),
  'standard, unpadded': (text) => withoutPadding(base64(text)),
  'percent-encoded, padded': (text) => encodeURIComponent(base64(text)),
  'percent-encoded in lower case, unpadded': (text) =>
    encodeURIComponent(withoutPadding(base64(text))).replace(/%../g, (e) => e.toLowerCase()),
  'URL-safe, padded': (text) => base64(text).replaceAll('+', '-').replaceAll('/', '_'),
  'URL-safe, unpadded': (text) => Buffer.from(text, 'utf8').toString('base64url'),
}

function withoutPadding(value: string): string {
  return value.replace(/=+$/, '')
}

/** Behind a whole base64 group, this gives `/url/` in base64. */
const urlSegment = '%\u{7FEB9}\u007F'
/** This gives a segment `a` or `b` and many slashes. */
const slashes = '???>>>~~~???'

const wellFormed = fc.string({ unit: 'binary', maxLength: 40 }).filter((text) => {
  return text.isWellFormed()
})
const longUrl = fc
  .tuple(
    fc.mixedCase(fc.constantFrom('http://', 'https://')),
    fc.constantFrom('a.example', 'münchen.example', '127.0.0.1:8080'),
    fc.array(
      fc.oneof(
        wellFormed,
        fc.constantFrom('/url/', '/password/', '.json', '.xml', '?', '~', slashes, urlSegment),
        fc.constantFrom('a', 'ab').map((pad) => pad + urlSegment),
      ),
      { maxLength: 6 },
    ),
  )
  .map(([scheme, host, path]) => `${scheme}${host}/${path.join('')}`)
const plainValue = fc.oneof(
  wellFormed.filter((text) => text !== ''),
  fc.constantFrom(
    'url',
    'password',
    'custom_url',
    'short_url',
    'a/url/b',
    '.json',
    'p.xml',
    'x.json/y',
  ),
  fc.constantFrom('%', '%2F', 'a+b', 'a b', '?x#y', encodedTarget, withoutPadding(base64('a'))),
)
const optionNames = ['custom_url', 'password', 'expiry_date', 'base_domain']
const options = fc
  .tuple(fc.shuffledSubarray(optionNames), fc.array(plainValue, { minLength: 4, maxLength: 4 }))
  .map(([names, values]) => names.map((name, index) => [name, values[index] ?? ''] as const))
const format = fc.constantFrom('json' as const, 'xml' as const)
const spelling = fc.constantFrom(...Object.values(spellings))

describe('parsePath', () => {
  test.each(Object.entries(spellings))('reads any URL written as %s, in any order', (_, spell) => {
    fc.assert(
      fc.property(longUrl, options, fc.nat(4), format, (url, pairs, position, ending) => {
        const segments = pairs.map(([name, value]) => `${name}/${encodeURIComponent(value)}`)
        segments.splice(position, 0, `url/${spell(url)}`)
        const given = new Map(pairs)
        expect(parsePath(`create/${segments.join('/')}.${ending}`)).toEqual({
          operation: 'create',
          format: ending,
          url,
          customUrl: given.get('custom_url'),
          password: given.get('password'),
          expiryDate: given.get('expiry_date'),
          baseDomain: given.get('base_domain'),
        })
      }),
      { numRuns: 1000 },
    )
  })

  test('reads any short URL in any spelling, for each operation that takes one', () => {
    const operations = fc.constantFrom('disable' as const, 'enable' as const, 'info' as const)
    const shortUrl = fc.oneof(
      longUrl,
      longUrl.map((url) => url.replace(/^https?:\/\//i, '')),
      fc.constant('s.example/größe'),
    )
    fc.assert(
      fc.property(operations, shortUrl, spelling, format, (operation, url, spell, ending) => {
        const path = `${operation}/short_url/${spell(url)}.${ending}`
        expect(parsePath(path)).toEqual({ operation, format: ending, shortUrl: url })
      }),
      { numRuns: 1000 },
    )
  })

  test('finds the end of a value that has the segment url, and of one that has many', () => {
    const url = `http://example.org/${'a'.repeat(2)}${urlSegment}`
    expect(base64(url)).toContain('/url/')
    expect(parsePath(`create/url/${base64(url)}/password/url.json`)).toMatchObject({
      url,
      password: 'url',
    })
    const many = `http://a.example/${slashes.repeat(300)}`
    expect(base64(many).split('/').length).toBeGreaterThan(500)
    expect(parsePath(`create/url/${base64(many)}/password/p.json`)).toMatchObject({
      url: many,
      password: 'p',
    })
  })

  test('is right to end a value at the segment password: no UTF-8 text has it in its base64', () => {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'.split('')
    // As the first of three digits, these begin a byte of each kind that UTF-8 knows.
    const first = 'Agtw4789'.split('')
    const before = ['', ...alphabet]
    for (const a of first) for (const b of alphabet) before.push(a + b)
    for (const a of first)
      for (const b of alphabet) for (const c of alphabet) before.push(a + b + c)
    const valid = before
      .flatMap((start) =>
        ['', '/A', '/QA', '/gAA', '/wAAA'].map((end) => `${start}/password${end}`),
      )
      .filter((value) => decodes(value.padEnd(Math.ceil(value.length / 4) * 4, 'A')))
    expect(valid).toEqual([])
    // The same search does find the segment that text may have.
    expect(before.some((start) => decodes(`${start}/url/QA`))).toBe(true)
  })

  test('reads the documented paths', () => {
    expect(
      parsePath(
        `create/custom_url/sale/password/s3cret/expiry_date/2031-01-02/url/${encodedTarget}.json`,
      ),
    ).toEqual({
      operation: 'create',
      format: 'json',
      url: target,
      customUrl: 'sale',
      password: 's3cret',
      expiryDate: '2031-01-02',
      baseDomain: undefined,
    })
    expect(parsePath(`create/url/${encodedTarget}.xml`)).toEqual({
      operation: 'create',
      format: 'xml',
      url: target,
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

  test('takes the last ending as the ending, and earlier ones as part of the value', () => {
    expect(parsePath(`create/url/${encodedTarget}/password/p.json.xml`)).toMatchObject({
      format: 'xml',
      password: 'p.json',
    })
    expect(parsePath(`create/password/a%2Fb.json%2Furl/url/${encodedTarget}.json`)).toMatchObject({
      format: 'json',
      password: 'a/b.json/url',
      url: target,
    })
  })

  test('keeps a plus in plain values and reads a percent-encoded space', () => {
    expect(parsePath(`create/password/a+b%20c/url/${encodedTarget}.json`)).toMatchObject({
      password: 'a+b c',
    })
  })

  test.each(Object.entries(spellings))('passes a URL of 8,192 bytes written as %s', (_, spell) => {
    const url = `https://example.com/${'?~ÿ'.repeat(3000)}`.slice(0, 6149).padEnd(6149, 'x')
    const exact = url + 'y'.repeat(8192 - Buffer.byteLength(url))
    expect(Buffer.byteLength(exact)).toBe(8192)
    expect(parsePath(`create/url/${spell(exact)}/custom_url/c.json`)).toMatchObject({ url: exact })
  })

  test.each([
    ['', 'an empty path'],
    ['.json', 'no operation'],
    ['delete/short_url/YQ.json', 'another operation'],
    ['Create/url/YQ.json', 'an operation in another case'],
    ['constructor.json', 'the name of a property that every object has'],
    ['unknown', 'an operation without an ending'],
    ['/create/url/YQ.json', 'a slash before the operation'],
  ])('does not find %j: %s', (path) => {
    expect(() => parsePath(path)).toThrow(expect.objectContaining({ code: 'not_found' }))
  })

  const knownHere = 'known here: url, custom_url, password, expiry_date, base_domain'
  const x = encodedTarget
  test.each([
    // endings
    [`create/url/${x}`, 'path must end in .json or .xml'],
    [`info/short_url/${x}`, 'path must end in .json or .xml'],
    [`create/url/${x}.JSON`, 'path must end in .json or .xml'],
    [`create/url/${x}.json/`, 'path must end in .json or .xml'],
    ['create', 'path must end in .json or .xml'],
    ['list_active_urls', 'path must end in .json or .xml'],
    // missing
    ['create.json', 'url is required'],
    ['create/custom_url/abc.json', 'url is required'],
    ['info.xml', 'short_url is required'],
    // empty
    ['create/url.json', 'url must not be empty'],
    ['create/url/.json', 'url must not be empty'],
    ['create/url/password/p.json', 'url must not be empty'],
    ['create/url//password/p.json', 'url must not be empty'],
    [`create/password//url/${x}.json`, 'password must not be empty'],
    [`create/url/${x}/password.json`, 'password must not be empty'],
    [`create/url/${x}/password/.json`, 'password must not be empty'],
    ['enable/short_url/.json', 'short_url must not be empty'],
    // doubled
    [`create/url/${x}/url/${x}.json`, 'url must be given only once'],
    [`create/url/${x}/password/p/url/${x}.json`, 'url must be given only once'],
    [
      `create/url/${withoutPadding(x)}/url/${withoutPadding(x)}.json`,
      'url must be given only once',
    ],
    [`create/password/a/url/${x}/password/b.json`, 'password must be given only once'],
    [`create/url/${x}/custom_url/a/custom_url/a.json`, 'custom_url must be given only once'],
    [`info/short_url/${x}/short_url/${x}.json`, 'short_url must be given only once'],
    // unknown
    [`create/foo/bar/url/${x}.json`, `path must have no unknown parameters; ${knownHere}`],
    [`create//url/${x}.json`, `path must have no unknown parameters; ${knownHere}`],
    [`create/url/${x}/password/p/.json`, `path must have no unknown parameters; ${knownHere}`],
    [`create/__proto__/a/url/${x}.json`, `path must have no unknown parameters; ${knownHere}`],
    [
      `create/url/${x}/foo/bar.json`,
      `url must be base64 of UTF-8 text, followed by no unknown parameters; ${knownHere}`,
    ],
    [`disable/url/${x}.json`, 'path must have no unknown parameters; known here: short_url'],
    [
      `info/short_url/${x}/password/p.json`,
      'short_url must be base64 of UTF-8 text, followed by no unknown parameters; known here: short_url',
    ],
    ['list_active_urls/page/2.json', 'path must have no parameters here'],
    ['list_active_urls/.json', 'path must have no parameters here'],
    // broken values
    ['create/url/%ZZ.json', 'url has a broken percent-escape'],
    ['create/url/YQ%3.json', 'url has a broken percent-escape'],
    [`create/url/${x}/password/%C3.json`, 'password has a broken percent-escape'],
    [`create/url/${x}/custom_url/100%.json`, 'custom_url has a broken percent-escape'],
    ['create/url/http%3A%2F%2Fexample.com.json', 'url must be base64 of UTF-8 text'],
    ['create/url/aHR0cDovL2EuYi8%20.json', 'url must be base64 of UTF-8 text'],
    ['create/url/%2Fw%3D%3D.json', 'url must be base64 of UTF-8 text'],
    ['create/url/YQ%253D%253D.json', 'url must be base64 of UTF-8 text'],
    [`create/url/${x}.json.json`, 'url must be base64 of UTF-8 text'],
    ['info/short_url/4oI=.json', 'short_url must be base64 of UTF-8 text'],
  ])('refuses %s', (path, message) => {
    expect(() => parsePath(path)).toThrow(
      expect.objectContaining({ code: 'invalid_input', message }),
    )
  })

  test('refuses a second url in every spelling and after every URL', () => {
    fc.assert(
      fc.property(longUrl, longUrl, spelling, spelling, (one, two, spellOne, spellTwo) => {
        expect(() => parsePath(`create/url/${spellOne(one)}/url/${spellTwo(two)}.json`)).toThrow(
          'url must be given only once',
        )
      }),
      { numRuns: 1000 },
    )
  })

  test('answers any input with a call or a refusal', () => {
    const piece = fc.oneof(
      fc.constantFrom('create', 'info', 'url', 'short_url', ...optionNames, '/', '//', '%', '='),
      fc.constantFrom('.json', '.xml', 'YQ', 'YWJj', encodedTarget, '%2F', '%c3%28', '__proto__'),
      fc.string(),
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), fc.boolean(), (pieces, prefixed) => {
        const path = (prefixed ? 'create/' : '') + pieces.join('/')
        const format = formatOf(path)
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

  test('does not repeat what may be a password when a value before it was forgotten', () => {
    expect(() => parsePath(`create/custom_url/password/s3cret/url/${x}.json`)).toThrow(
      expect.not.objectContaining({ message: expect.stringContaining('s3cret') }),
    )
  })
})

describe('the work for a long path', () => {
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
    const percent = vi.spyOn(globalThis, 'decodeURIComponent')
    const decode = vi.spyOn(Buffer, 'from')
    try {
      parsePath(path)
    } catch (error) {
      expect(error).toMatchObject({ name: 'AppError' })
    }
    for (const spy of [percent, decode]) {
      expect(spy.mock.calls.length).toBeLessThanOrEqual(5)
      const characters = spy.mock.calls.map(([value]) => String(value).length)
      expect(characters.reduce((sum, length) => sum + length, 0)).toBeLessThanOrEqual(path.length)
    }
  })
})

describe('formatOf', () => {
  test.each([
    ['create/url/YQ.xml', 'xml'],
    ['/api/v1/key/shorturl/nonsense.xml', 'xml'],
    ['create/url/YQ.json', 'json'],
    ['create/url/YQ', 'json'],
    ['create/url/YQ.xml/', 'json'],
    ['create/url/YQ.xml.json', 'json'],
    ['xml', 'json'],
    ['', 'json'],
  ])('%j asks for %s', (path, expected) => {
    expect(formatOf(path)).toBe(expected)
  })
})

function decodes(value: string): boolean {
  return isUtf8(Buffer.from(value, 'base64'))
}
