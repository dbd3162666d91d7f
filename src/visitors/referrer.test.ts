import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anyCharacter } from '../../test/support/any-character.ts'
import { webUrl } from '../../test/support/web-url.ts'
import {
  findSocialNetwork,
  parseReferrerHost,
  parseReferrerOrigin,
  toReferrerLabel,
} from './referrer.ts'

describe('parseReferrerHost', () => {
  test.each([
    ['https://www.Example.com/path?q=1#x', 'example.com'],
    ['http://example.com:8080/', 'example.com'],
    ['https://user:pass@news.example.co.uk/', 'news.example.co.uk'],
    ['https://example.com./', 'example.com'],
    ['https://www.com/', 'www.com'],
    ['https://www.www.example.com/', 'www.example.com'],
    ['https://wwwexample.com/', 'wwwexample.com'],
    ['https://bücher.example/', 'xn--bcher-kva.example'],
    ['http://192.0.2.1/', '192.0.2.1'],
    ['http://[2001:db8::1]:3000/', '[2001:db8::1]'],
    ['http://localhost:3000/', 'localhost'],
    ['android-app://com.Google.android.gm/', 'com.google.android.gm'],
    ['https://__proto__/', '__proto__'],
  ])('reads %s as %s', (header, host) => {
    expect(parseReferrerHost(header)).toBe(host)
  })

  test.each([
    undefined,
    '',
    ' ',
    'example.com',
    '/path',
    'about:blank',
    'about:client',
    'data:text/html,x',
    'ftp://example.com/',
    'javascript:alert(1)',
    'chrome-extension://abcdef/',
    'https://',
    'https://.',
    'http://exa mple.com/',
    'http://example.com:99999/',
    'android-app:x',
    'android-app:///x',
    'android-app://a%0Ab/',
    `https://${'a'.repeat(254)}/`,
    `https://${'a.'.repeat(10_000)}com/`,
  ])('returns undefined for invalid header %#', (header) => {
    expect(parseReferrerHost(header)).toBeUndefined()
  })

  test('never throws and returns a short lowercase host', () => {
    const header = fc.oneof(
      fc.string(),
      fc.string({ unit: anyCharacter, maxLength: 30 }).map((rest) => `android-app://${rest}`),
      fc.string({ unit: anyCharacter, maxLength: 30 }).map((rest) => `https://${rest}`),
    )
    fc.assert(
      fc.property(header, (value) => {
        const host = parseReferrerHost(value)
        if (host === undefined) return
        expect(host).toBe(host.toLowerCase())
        expect(host.length).toBeLessThanOrEqual(253)
        expect(host).toMatch(/^[\x21-\x7e]+$/)
      }),
    )
  })
})

test('a visit without a referrer has its own label', () => {
  expect(toReferrerLabel(undefined)).toBe('Direct, email and other')
  expect(toReferrerLabel('example.com')).toBe('example.com')
})

describe('findSocialNetwork', () => {
  test.each([
    ['facebook.com', 'facebook'],
    ['l.facebook.com', 'facebook'],
    ['lm.facebook.com', 'facebook'],
    ['m.facebook.com', 'facebook'],
    ['fb.me', 'facebook'],
    ['fb.com', 'facebook'],
    ['com.facebook.katana', 'facebook'],
    ['twitter.com', 'twitter'],
    ['mobile.twitter.com', 'twitter'],
    ['t.co', 'twitter'],
    ['x.com', 'twitter'],
    ['instagram.com', 'instagram'],
    ['l.instagram.com', 'instagram'],
    ['com.instagram.android', 'instagram'],
  ])('recognizes %s as %s', (host, network) => {
    expect(findSocialNetwork(host)).toBe(network)
  })

  test.each([
    undefined,
    '',
    'notfacebook.com',
    'facebook.com.example.org',
    'netflix.com',
    'at.co',
    'example.com',
    'constructor',
    '__proto__',
  ])('does not match %s', (host) => {
    expect(findSocialNetwork(host)).toBeUndefined()
  })
})

describe('parseReferrerOrigin', () => {
  test.each([
    ['https://www.Example.com/path?q=1#x', 'https://www.Example.com'],
    ['http://example.com:8080?key=secret', 'http://example.com:8080'],
    ['http://example.com\\secret', 'http://example.com'],
    ['android-app://com.google.android.gm/secret', 'android-app://com.google.android.gm'],
    ['http://[2001:db8::1]:3000/', 'http://[2001:db8::1]:3000'],
    ['https://user:secret@example.com/', ''],
    ['secret', ''],
    ['', ''],
    [undefined, ''],
  ])('reduces %s to %s', (header, origin) => {
    expect(parseReferrerOrigin(header)).toBe(origin)
  })

  test("is sufficient to determine the host of browsers' headers", () => {
    fc.assert(
      fc.property(webUrl({ withQueryParameters: true, withFragments: true }), (url) => {
        expect(parseReferrerHost(parseReferrerOrigin(url))).toBe(parseReferrerHost(url))
      }),
    )
  })
})
