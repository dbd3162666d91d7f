import { expect, test } from 'vitest'
import { english } from '../../test/fixtures/english.ts'
import { notFoundPage } from './notice.ts'

test('the page of an unknown link shows the reason and the status', () => {
  const document = notFoundPage(english)
  expect(document).toContain('<p class="eyebrow">404</p>')
  expect(document).toContain('<h1>Link not found</h1>')
  expect(document).not.toContain('href="/"')
})

test('the page of an unknown link links to the home page if requested', () => {
  expect(notFoundPage({ ...english, hasHomeLink: true })).toContain('href="/"')
})
