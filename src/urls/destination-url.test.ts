import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anyCharacter } from '../../test/support/any-character.ts'
import { webUrl } from '../../test/support/web-url.ts'
import { addHttp, addScheme, parseDestinationUrl, toFollowableHref } from './destination-url.ts'

describe('a destination', () => {
  test.each([
    ['https://example.com', 'https://example.com/'],
    ['HTTP://EXAMPLE.com:80/a b', 'http://example.com/a%20b'],
    [' https://example.com/x ', 'https://example.com/x'],
    ['https://bücher.example/ü?q=ß#ö', 'https://xn--bcher-kva.example/%C3%BC?q=%C3%9F#%C3%B6'],
    ['https://example.com/\r\nSet-Cookie:a=b', 'https://example.com/Set-Cookie:a=b'],
    ['http://[::1]:8080/', 'http://[::1]:8080/'],
    ['http://2130706433/', 'http://127.0.0.1/'],
  ])('stores %j as %s', (value, href) => {
    expect(parseDestinationUrl('url', value).href).toBe(href)
    expect(toFollowableHref(value)).toBe(href)
  })

  test.each([
    '',
    'example.com',
    '//example.com',
    'javascript:alert(1)',
    'java\nscript:alert(1)',
    '\u0001javascript:alert(1)',
    'data:text/html,x',
    'ftp://example.com',
    'file:///etc/passwd',
    'http:',
    'http://',
    'https:///?x',
    'http://:80/',
    'http://%AD/',
    'http://\u00ad/',
    'https://user@example.com',
    'https://user:secret@example.com',
    'https://:secret@example.com',
    'http://exa mple.com',
  ])('rejects %j and names the field', (value) => {
    expect(() => parseDestinationUrl('url', value)).toThrow(/^url must /)
    expect(toFollowableHref(value)).toBeUndefined()
  })

  test('has at most 8,192 bytes', () => {
    const longest = `https://example.com/${'x'.repeat(8192 - 20)}`
    expect(parseDestinationUrl('url', longest).href).toBe(longest)
    expect(() => parseDestinationUrl('url', `${longest}x`)).toThrow(
      'url must be at most 8192 bytes',
    )
    // The limit applies to the stored form, which can be longer or shorter than the entered one.
    for (const text of ['ü'.repeat(1363), 'é'.repeat(2000)]) {
      expect(() => parseDestinationUrl('url', `https://example.com/${text}`)).toThrow('8192')
    }
    expect(parseDestinationUrl('url', `${longest}\n\t\r\n`).href).toBe(longest)
  })

  test('is ASCII without spaces or control characters for any input', () => {
    fc.assert(
      fc.property(
        webUrl({ withFragments: true, withQueryParameters: true }),
        fc.string({ unit: anyCharacter }),
        (url, tail) => {
          const href = toFollowableHref(url + tail)
          expect(href ?? '').toMatch(/^[\x21-\x7e]*$/)
        },
      ),
      { numRuns: 2000 },
    )
  })
})

describe('a destination entered without a scheme', () => {
  test.each([
    'example.com',
    'a.example:80/x',
    'localhost',
    'LOCALHOST/x',
    'localhost:3000',
    'intranet:8080?a#b',
    '[::1]:3000/',
    '127.0.0.1',
    'bücher.example',
    'example。com',
    'example.com?next=https://b.example',
  ])('gets https if it begins with a host: %s', (input) => {
    expect(addScheme(` ${input} `)).toBe(`https://${input}`)
  })

  test.each([
    'word',
    'two words',
    'word/a.b',
    'word?a.b',
    'word#a.b',
    '',
    '/path.html',
    '?a',
    '#a',
    ':80',
    'tel:123',
    'TEL:123',
    'sms:123?body=a.b',
    'sip:5060',
    'mailto:a@b.example',
    'mailto:123@b.c',
    'javascript:alert(1)',
    'JavaScript:1',
    'data:1',
    'file:1/a.b',
    'data:text/html,a.b',
    'http:example.com',
    'https://example.com',
    '//a.b',
    'user:pass@a.example',
    'word:123456',
  ])('stays unchanged otherwise: %s', (input) => {
    expect(addScheme(input)).toBe(input)
  })

  test('gets http in the YOURLS API, even for other schemes', () => {
    expect([addHttp(' word '), addHttp('a.example:80'), addHttp('tel:123')]).toEqual([
      'http://word',
      'http://a.example:80',
      'tel:123',
    ])
  })
})
