import { expect, test } from 'vitest'
import { english } from './english.fixture.ts'
import { notFoundPage } from './not-found.ts'

test('says what is the matter, with its status', () => {
  const document = notFoundPage(english)
  expect(document).toContain('<p class="eyebrow">404</p>')
  expect(document).toContain('<h1>Link not found</h1>')
  expect(document).not.toContain('href="/"')
})

test('leads home when asked', () => {
  expect(notFoundPage({ ...english, home: true })).toContain('href="/"')
})
