import { expect, test } from 'vitest'
import { english } from '../../test/fixtures/english.ts'
import { expiredPage } from './notice.ts'

test('the page of an expired link shows the reason and the status', () => {
  const document = expiredPage(english)
  expect(document).toContain('<p class="eyebrow">410</p>')
  expect(document).toContain('<h1>This link has expired</h1>')
  expect(document).not.toContain('href="/"')
})

test('the page of an expired link links to the home page if requested', () => {
  expect(expiredPage({ ...english, hasHomeLink: true })).toContain('href="/"')
})
