import { expect, test } from 'vitest'
import { english } from '../../test/fixtures/english.ts'
import { linkPreviewPage } from './link-preview.ts'

const defaults = {
  ...english,
  shortUrl: 'https://s.example/abc',
  destination: 'https://example.com/x',
}

test('the page for preview bots shows the owner’s texts and the short URL', () => {
  const meta = { title: 'T', description: 'D', image: 'https://i.example/i.jpg' }
  const document = linkPreviewPage({ ...defaults, meta })
  expect(document).toContain('property="og:title" content="T"')
  expect(document).toContain('property="og:description" content="D"')
  expect(document).toContain('property="og:image" content="https://i.example/i.jpg"')
  expect(document).toContain('property="og:url" content="https://s.example/abc"')
})

test('the page for preview bots redirects people to the destination', () => {
  const document = linkPreviewPage({ ...defaults, meta: {} })
  expect(document).toContain('http-equiv="refresh" content="0;url=https://example.com/x"')
  expect(document).toContain('<a class="button full" id="onward" href="https://example.com/x">')
  expect(document).toContain('<title>example.com</title>')
})
