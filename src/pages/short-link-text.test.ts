import { expect, test } from 'vitest'
import { copiedShortUrl, hostText, shortLinkText } from './short-link-text.ts'

test.each([
  ['https://brev.example/caf%C3%A9', 'brev.example/café'],
  ['http://brev.example:3000/spring', 'brev.example:3000/spring'],
  ['https://xn--mnchen-3ya.example/%D8%B9', 'münchen.example/ع'],
  ['http://xn--e1afmkfd.xn--p1ai:8080/x', 'пример.рф:8080/x'],
  ['https://xn--zz--.example/x', 'xn--zz--.example/x'],
  ['https://[2001:db8::1]:80/x', '[2001:db8::1]:80/x'],
  ['https://brev.example/%E0%A4', 'brev.example/%E0%A4'],
  ['not-a-url', 'not-a-url'],
])('the short link %s is shown as %s', (shortUrl, text) => {
  expect(shortLinkText(shortUrl)).toBe(text)
})

test.each([
  ['https://xn--mnchen-3ya.example/caf%C3%A9', 'https://münchen.example/caf%C3%A9'],
  ['http://xn--mnchen-3ya.example:8080/a/b', 'http://münchen.example:8080/a/b'],
  ['https://brev.example/xn--mnchen-3ya', 'https://brev.example/xn--mnchen-3ya'],
])('the short link %s is copied as %s, which leads to the same URL', (shortUrl, text) => {
  expect(copiedShortUrl(shortUrl)).toBe(text)
  expect(new URL(text).href).toBe(shortUrl)
})

test.each([
  ['xn--mnchen-3ya.example', 'münchen.example'],
  ['go.example:8080', 'go.example:8080'],
])('the host %s is shown as %s', (host, text) => {
  expect(hostText(host)).toBe(text)
})
