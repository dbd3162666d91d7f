import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { hostOf, safeAction, safeHref } from './safe-url.ts'

const unsafeUrls = [
  'javascript:alert(1)',
  'java\nscript:alert(1)',
  ' javascript:alert(1)',
  'data:text/html,<script>',
  'vbscript:x',
  'ftp://example.com/',
  '//example.com/',
  '/path',
  '',
]

describe('safeHref', () => {
  test('returns the serialized form of http and https URLs', () => {
    expect(safeHref('HTTPS://Example.com')).toBe('https://example.com/')
    expect(safeHref('http://example.com/a b?q="x"')).toBe('http://example.com/a%20b?q=%22x%22')
  })

  test.each(unsafeUrls)('returns "#" for %j', (url) => {
    expect(safeHref(url)).toBe('#')
  })

  test('returns an http URL or # for any text', () => {
    const piece = fc.constantFrom(
      'http:',
      'https:',
      'javascript:',
      '//',
      'a.example',
      ':',
      '@',
      '/',
    )
    const text = fc.oneof(fc.constantFrom('"', "'", '<', '>', ' ', '\n', '\\', '#', '?'), piece)
    fc.assert(
      fc.property(fc.array(text), (parts) => {
        expect(safeHref(parts.join(''))).toMatch(/^(#|https?:\/\/[^<>\s]+)$/)
        expect(safeHref(`https://a.example/${parts.join('')}`)).toMatch(/^https?:\/\/[^<>\s]+$/)
      }),
    )
  })
})

describe('hostOf', () => {
  test('returns the host with a non-default port', () => {
    expect(hostOf('https://Example.com:443/x')).toBe('example.com')
    expect(hostOf('http://example.com:8080/x')).toBe('example.com:8080')
  })

  test('returns an empty string unless it is an http URL', () => {
    expect(hostOf('javascript:alert(1)')).toBe('')
  })
})

describe('safeAction', () => {
  test('keeps paths and absolute URLs', () => {
    expect(safeAction('/abc?x=1')).toBe('/abc?x=1')
    expect(safeAction('/ä')).toBe('/%C3%A4')
    expect(safeAction('https://s.example/abc')).toBe('https://s.example/abc')
  })

  test.each([
    '//evil.example/x',
    '/\\evil.example/x',
    '/.//evil.example/x',
    '/a/..//evil.example',
    '/\t/evil.example/x',
    'javascript:alert(1)',
    'evil.example',
    '',
  ])('posts to the page itself for %j', (action) => {
    expect(safeAction(action)).toBe('#')
  })
})
