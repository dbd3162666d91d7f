import { expect, test } from 'vitest'
import { expiredPage } from './expired.ts'

test('says what is the matter, with its status', () => {
  const document = expiredPage({ nonce: 'n' })
  expect(document).toContain('<p class="eyebrow">410</p>')
  expect(document).toContain('<h1>This link has expired</h1>')
  expect(document).not.toContain('href="/"')
})

test('leads home when asked', () => {
  expect(expiredPage({ nonce: 'n', home: true })).toContain('href="/"')
})
