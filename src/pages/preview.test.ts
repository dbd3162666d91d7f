import { expect, test } from 'vitest'
import { english } from '../../test/fixtures/english.ts'
import { previewPage } from './preview.ts'

const defaults = {
  ...english,
  shortUrl: 'https://s.example/abc',
  date: new Date('2026-11-21T23:30:00Z'),
}

test('the preview shows the destination as text and continues through the short URL', () => {
  const destination = 'https://example.com/?a=1&b=2'
  const link = { destination, title: 'A title', description: 'A text' }
  const document = previewPage({ ...defaults, link })
  expect(document).toContain('<h1 dir="auto">A title</h1>')
  expect(document).toContain('A text</p>')
  expect(document).toContain('<p class="address">https://example.com/?a=1&amp;b=2</p>')
  expect(document).not.toContain('href="https://example.com')
  expect(document).toContain('<a class="button" href="https://s.example/abc"')
  expect(document).toContain('<time datetime="2026-11-21T23:30:00.000Z">November 21, 2026</time>')
})

test('the preview hides the destination of a link with a password', () => {
  const document = previewPage({ ...defaults, link: null })
  expect(document).toContain('This link is password protected')
  expect(document).toContain('Enter password')
  expect(document).not.toContain('example.com')
})

test('the preview makes a long URL scrollable by keyboard', () => {
  const destination = `https://example.com/${'a'.repeat(8000)}`
  const document = previewPage({ ...defaults, link: { destination, title: 'T' } })
  expect(document).toMatch(
    /<div class="address scroll" tabindex="0"[^>]*>https:\/\/example\.com\/a{8000}</,
  )
})
