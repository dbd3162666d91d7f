import { expect, test } from 'vitest'
import { homePage } from './home.ts'

test('links to registration and documentation', () => {
  const document = homePage({ nonce: 'n', registrationOpen: true })
  expect(document).toContain('<a class="button" href="/register">')
  expect(document).toContain('<a class="button quiet" href="/docs">')
  expect(document).not.toContain('noindex')
})

test('has no registration link if it is closed', () => {
  const document = homePage({ nonce: 'n', registrationOpen: false })
  expect(document).not.toContain('/register')
  expect(document).toContain('Sign-ups are closed')
  expect(document).toContain('<a class="button" href="/docs">')
})
