import { expect, test } from 'vitest'
import { english } from '../../test/fixtures/english.ts'
import { pixelsPage, pixelsPolicy } from './pixels.ts'

const destination = 'https://example.com/x'
const pixelUrls = ['https://t.example/p?id=1&e=2', 'javascript:alert(1)', 'https://u.example/p']

test('the page with pixels loads those with http URLs and allows only their origins', () => {
  const document = pixelsPage({ ...english, destination, pixelUrls })
  const sources = [...document.matchAll(/<img class="beacon" src="([^"]*)" alt=""/g)].map(
    (match) => match[1],
  )
  expect(sources).toEqual(['https://t.example/p?id=1&amp;e=2', 'https://u.example/p'])
  expect(pixelsPolicy({ pixelUrls })).toEqual({
    imgSrc: ['https://t.example', 'https://u.example'],
  })
})

test('the page with pixels redirects with and without scripts, and by a link', () => {
  const document = pixelsPage({ ...english, nonce: 'n0nce', destination, pixelUrls })
  expect(document).toContain('http-equiv="refresh" content="0;url=https://example.com/x"')
  expect(document).toContain('id="onward" href="https://example.com/x"')
  expect(document).toContain('<script nonce="n0nce">')
  expect(document.split('<script')[1]).not.toContain('example.com')
})

test('the page with pixels sends no referrer', () => {
  const document = pixelsPage({ ...english, destination, pixelUrls })
  expect(document).toContain('<meta name="referrer" content="no-referrer">')
})
