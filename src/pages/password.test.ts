import { expect, test } from 'vitest'
import { english } from '../../test/fixtures/english.ts'
import { type PasswordError, passwordPage, passwordPolicy } from './password.ts'

test('the password page posts the password to the short URL', () => {
  const document = passwordPage({ ...english, action: '/abc', csrf: 'token' })
  expect(document).toContain('<form method="post" action="/abc">')
  expect(document).toContain('<input type="hidden" name="csrf" value="token">')
  expect(document).toMatch(/<input type="password"[^>]* name="password"/)
  expect(document).not.toContain('role="alert"')
})

test.each<[PasswordError, string]>([
  ['wrong', 'Incorrect password'],
  ['too_many_attempts', 'Too many attempts'],
  ['link_waits', 'Too many failed attempts'],
  ['busy', 'Something went wrong'],
])('for the error %s, the password page shows "%s"', (error, text) => {
  const document = passwordPage({ ...english, action: '/abc', error })
  expect(document).toMatch(new RegExp(`id="password-error" role="alert">[^<]*${text}`))
  expect(document).toContain('aria-describedby="password-error"')
})

test('the password page needs neither an action nor a nonce', () => {
  const document = passwordPage({ language: 'en', error: 'busy' })
  expect(document).toContain('<form method="post">')
  expect(document).toContain('<style>')
  expect(document).not.toContain('nonce')
})

test('the password page sends no referrer and may redirect to any site', () => {
  expect(passwordPage({ ...english, action: '/abc' })).toContain('content="no-referrer"')
  expect(passwordPolicy.formAction).toEqual(["'self'", 'https:', 'http:'])
})

test('the password page does not post to another host if the action starts with two slashes', () => {
  const document = passwordPage({ ...english, action: '//evil.example/abc' })
  expect(document).toContain('action="#"')
})
