import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { forwardTo, isForwardablePath } from './forwarding.ts'

const forwardAll = { query: true, path: true }

/**
 * Decodes a path the given number of times, as a chain of careless servers would, and resolves its
 * dot segments.
 */
function decodeAndResolve(decodings: number, pathname: string): string {
  let path = pathname
  for (let round = 0; round < decodings; round += 1) {
    path = path.replaceAll(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(Number(`0x${hex}`)))
  }
  const resolved: string[] = []
  for (const segment of path.replaceAll('\\', '/').split('/').slice(1)) {
    const name = segment.replace(/;.*/s, '').trim()
    if (name === '..') resolved.pop()
    else if (name !== '.') resolved.push(segment)
  }
  return `/${resolved.join('/')}`
}

const pathPiece = fc.constantFrom(
  '.',
  '..',
  '...',
  '/',
  '//',
  '\\',
  '%2e',
  '%2E',
  '%2e%2e',
  '.%2e',
  '%2e.',
  '%2f',
  '%5c',
  '%252e',
  '%25252e',
  '%252f',
  '%c0%ae',
  '%c0%af',
  '%u002e',
  '..;',
  ';a=b',
  '%3b',
  '%00',
  '%09',
  '%0a',
  '\t',
  '\n',
  '\r',
  '\0',
  ' ',
  '%20',
  '?',
  '#',
  '%23',
  '@',
  ':',
  'a',
  'evil.example',
  'ü',
)
const hostilePath = fc
  .array(pathPiece, { minLength: 1, maxLength: 12 })
  .map((parts) => parts.join(''))

describe('a forwarded path', () => {
  test('stays within the destination’s path after any number of decodings', () => {
    const destination = fc.constantFrom(
      'https://example.com/',
      'https://example.com/a/b',
      'https://example.com/a/b/?q=1#f',
    )
    fc.assert(
      fc.property(fc.oneof(hostilePath, fc.string()), destination, (path, href) => {
        if (!isForwardablePath(path)) return
        const forwardedUrl = forwardTo(href, [], forwardAll, { path, query: '' })
        if (forwardedUrl === undefined) return
        const url = new URL(forwardedUrl)
        const base = new URL(href)
        expect(url.origin).toBe(base.origin)
        const requiredPrefix = `${base.pathname.replace(/\/$/, '')}/`
        for (let decodings = 0; decodings < 5; decodings += 1) {
          const resolved = decodeAndResolve(decodings, url.pathname)
          expect(resolved.startsWith(requiredPrefix) || `${resolved}/` === requiredPrefix).toBe(
            true,
          )
        }
        expect([url.search, url.hash]).toEqual([base.search, base.hash])
      }),
      { numRuns: 5000 },
    )
  })

  test.each([
    '..',
    'a/../b',
    '%2e%2e/b',
    '.%2E/b',
    '%252e%252e/b',
    '..%2fb',
    'a//b',
    '/b',
    'a\\..\\b',
    '..%5cb',
    '%5c%5cevil.example',
    '..;/b',
    '%c0%ae%c0%ae/b',
    '.',
    'a/%00',
    'a\nb',
    'a'.repeat(8192),
  ])('is rejected: %s', (path) => {
    expect(isForwardablePath(path)).toBe(false)
  })

  test.each([
    ['any/thing', '/base/any/thing'],
    ['any/', '/base/any/'],
    ['caf%C3%A9', '/base/caf%C3%A9'],
    ['café', '/base/caf%C3%A9'],
    ['100%25', '/base/100%25'],
    ['a%2Fb', '/base/a%2Fb'],
    ['a%3Fb', '/base/a%3Fb'],
    ['...', '/base/...'],
    ['file.tar.gz', '/base/file.tar.gz'],
    ['@user:1', '/base/@user:1'],
  ])('is added to the destination’s path: %s', (path, pathname) => {
    expect(isForwardablePath(path)).toBe(true)
    const forwardedUrl = forwardTo('https://example.com/base?a=1#f', [], forwardAll, {
      path,
      query: '',
    })
    expect(forwardedUrl).toBe(`https://example.com${pathname}?a=1#f`)
  })
})

describe('a forwarded query', () => {
  const forward = (href: string, query: string, parameters: [string, string][] = []) =>
    forwardTo(
      href,
      parameters.map(([name, value]) => ({ name, value })),
      forwardAll,
      { path: '', query },
    )

  test.each([
    ['https://example.com/', 'a=1&b=2', 'https://example.com/?a=1&b=2'],
    ['https://example.com/?a=0', 'a=1&b=2', 'https://example.com/?a=0&b=2'],
    ['https://example.com/?a=0#f', 'b=%20x+y&c', 'https://example.com/?a=0&b=%20x+y&c#f'],
    ['https://example.com/?%61=0', 'a=1', 'https://example.com/?%61=0'],
    ['https://example.com/?x', '&&', 'https://example.com/?x'],
    ['https://example.com/', 'q=#f"<>', 'https://example.com/?q=%23f%22%3C%3E'],
    ['https://example.com/', 'a=1&a=2', 'https://example.com/?a=1&a=2'],
  ])('is added to %s: %s gives %s', (href, query, expected) => {
    expect(forward(href, query)).toBe(expected)
  })

  test('is overridden by the destination’s query, and both by the link’s parameters', () => {
    expect(
      forward('https://example.com/?a=0&b=0', 'a=1&b=1&c=1&d=1', [
        ['b', 'x y'],
        ['d', '2'],
      ]),
    ).toBe('https://example.com/?a=0&c=1&b=x+y&d=2')
  })

  test('is omitted if the URL would become too long', () => {
    expect(forward('https://example.com/?a=0', `b=${'x'.repeat(8192)}`)).toBe(
      'https://example.com/?a=0',
    )
  })

  test('never changes the host, the path, or the destination’s own parameters', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), hostilePath), (query) => {
        const url = new URL(forward('https://example.com/a?own=1#f', query) ?? '')
        expect([url.origin, url.pathname, url.hash]).toEqual(['https://example.com', '/a', '#f'])
        expect(url.searchParams.getAll('own')).toEqual(['1'])
      }),
    )
  })
})
