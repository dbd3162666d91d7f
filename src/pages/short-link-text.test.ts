import { expect, test } from 'vitest'
import { shortLinkText } from './short-link-text.ts'

test.each([
  ['https://brev.example/caf%C3%A9', 'brev.example/café'],
  ['http://brev.example:3000/spring', 'brev.example:3000/spring'],
  ['https://xn--brv-yla.example/%D8%B9', 'xn--brv-yla.example/ع'],
  ['https://brev.example/%E0%A4', 'brev.example/%E0%A4'],
  ['not-a-url', 'not-a-url'],
])('the short link %s is shown as %s', (shortUrl, text) => {
  expect(shortLinkText(shortUrl)).toBe(text)
})
