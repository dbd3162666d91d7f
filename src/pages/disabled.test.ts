import { expect, test } from 'vitest'
import { english } from '../../test/fixtures/english.ts'
import { disabledPage } from './notice.ts'

test('the page of a disabled link shows the reason and the status', () => {
  const document = disabledPage(english)
  expect(document).toContain('<p class="eyebrow">410</p>')
  expect(document).toContain('<h1>This link is disabled</h1>')
  expect(document).not.toContain('href="/"')
})

test('the page of a disabled link does not say who disabled the link', () => {
  expect(disabledPage(english)).not.toMatch(/owner|admin|operator/i)
})

test('the page of a disabled link links to the home page if requested', () => {
  expect(disabledPage({ ...english, hasHomeLink: true })).toContain('href="/"')
})
