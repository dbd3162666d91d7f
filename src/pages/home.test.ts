import { expect, test } from 'vitest'
import { english } from '../../test/fixtures/english.ts'
import { homePage } from './home.ts'

test('the home page links to registration and documentation', () => {
  const document = homePage({ ...english, isRegistrationOpen: true })
  expect(document).toContain('<a class="button" href="/register">')
  expect(document).toContain('<a class="button quiet" href="/docs">')
  expect(document).not.toContain('noindex')
})

test('the home page has no registration link if registration is closed', () => {
  const document = homePage({ ...english, isRegistrationOpen: false })
  expect(document).not.toContain('/register')
  expect(document).toContain('Sign-ups are closed')
  expect(document).toContain('<a class="button" href="/docs">')
})

test('the home page is in the language of the visitor', () => {
  const document = homePage({ ...english, language: 'de', isRegistrationOpen: true })
  expect(document).toContain('<html lang="de"')
  expect(document).toContain('Kurzlinks, die Ihnen gehören.')
})

test('the home page has a picture and three facts', () => {
  const document = homePage({ ...english, isRegistrationOpen: true })
  expect(document).toContain('<svg class="picture-of"')
  expect(document.match(/<section>/g)).toHaveLength(3)
  expect(document).not.toMatch(/<script|(?:src|href)="https?:/)
})
