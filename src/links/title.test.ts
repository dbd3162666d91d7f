import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { webUrl } from '../../test/support/web-url.ts'
import { publicTitleOf, titleOf } from './link.ts'

const titleWithoutMeta = (url: string) => titleOf({ url, metaTitle: null })

describe('the display name of a link', () => {
  test('is its title', () => {
    expect(titleOf({ url: 'https://example.com/', metaTitle: 'News' })).toBe('News')
  })

  test('is otherwise the host of its destination', () => {
    fc.assert(
      fc.property(webUrl({ withFragments: true, withQueryParameters: true }), (text) => {
        const { href, host } = new URL(text)
        expect(titleWithoutMeta(href)).toBe(host)
      }),
    )
  })

  test.each([
    ['https://example.com:8443/a/b?c#d', 'example.com:8443'],
    ['http://[2001:db8::1]/', '[2001:db8::1]'],
    ['https://xn--bcher-kva.example/@x', 'xn--bcher-kva.example'],
    ['https://user:secret@example.com/', 'example.com'],
  ])('is the host of %s: %s', (url, host) => {
    expect(titleWithoutMeta(url)).toBe(host)
  })
})

test('the public name does not reveal a password-protected destination', () => {
  const link = { url: 'https://example.com/', alias: 'locked', metaTitle: null }
  expect(publicTitleOf({ ...link, hasPassword: true })).toBe('locked')
  expect(publicTitleOf({ ...link, hasPassword: true, metaTitle: 'News' })).toBe('News')
  expect(publicTitleOf({ ...link, hasPassword: false })).toBe('example.com')
})
