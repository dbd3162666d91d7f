import { expect, test } from 'vitest'
import { notFoundPage } from './not-found.ts'

test('says what is the matter, with its status', () => {
  const document = notFoundPage({ nonce: 'n' })
  expect(document).toContain('<p class="eyebrow">404</p>')
  expect(document).toContain('<h1>There is nothing here</h1>')
  expect(document).not.toContain('href="/"')
})

test('leads home when asked', () => {
  expect(notFoundPage({ nonce: 'n', home: true })).toContain('href="/"')
})
