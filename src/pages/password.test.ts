import { expect, test } from 'vitest'
import { type PasswordError, passwordPage, passwordPolicy } from './password.ts'

test('posts the password to the short URL', () => {
  const document = passwordPage({ nonce: 'n', action: '/abc', csrf: 'token' })
  expect(document).toContain('<form method="post" action="/abc">')
  expect(document).toContain('<input type="hidden" name="csrf" value="token">')
  expect(document).toMatch(/<input type="password"[^>]* name="password"/)
  expect(document).not.toContain('role="alert"')
})

test.each<[PasswordError, string]>([
  ['wrong', 'not right'],
  ['too_many_attempts', 'Too many tries'],
  ['busy', 'busy'],
])('says so when it is %s', (error, text) => {
  const document = passwordPage({ nonce: 'n', action: '/abc', error })
  expect(document).toMatch(new RegExp(`id="password-error" role="alert">[^<]*${text}`))
  expect(document).toContain('aria-describedby="password-error"')
})

test('is the same for every link and reply without action and nonce', () => {
  const document = passwordPage({ error: 'busy' })
  expect(document).toContain('<form method="post">')
  expect(document).toContain('<style>')
  expect(document).not.toContain('nonce')
})

test('tells the target nothing of the short URL, and may be led to any target', () => {
  expect(passwordPage({ nonce: 'n', action: '/abc' })).toContain('content="no-referrer"')
  expect(passwordPolicy.formAction).toEqual(["'self'", 'https:', 'http:'])
})

test('never posts to another site by a path that names one', () => {
  const document = passwordPage({ nonce: 'n', action: '//evil.example/abc' })
  expect(document).toContain('action="#"')
})
