import { expect, test } from 'vitest'
import { renderRegisterPage } from './registration.ts'

test('the registration page has fields for email, username and password', () => {
  const document = renderRegisterPage({ nonce: 'n', csrf: 'token' })
  expect(document).toContain('<form method="post" action="/register">')
  expect(document).toContain('<input type="hidden" name="csrf" value="token">')
  expect(document).toMatch(/<input type="email"[^>]* name="email" required autocomplete="email"/)
  expect(document).toMatch(/ name="username" required autocomplete="username"/)
  expect(document).toMatch(/<input type="password"[^>]* autocomplete="new-password"/)
  expect(document).not.toContain('role="alert"')
})

test('the registration page keeps submitted values except the password and shows errors at their fields', () => {
  const document = renderRegisterPage({
    nonce: 'n',
    csrf: 'token',
    values: { email: 'a"@b.example', username: 'ada' },
    errors: { email: 'Bad email.', form: 'Not yet.' },
  })
  expect(document).toContain('value="a&quot;@b.example"')
  expect(document).toContain('value="ada"')
  expect(document).toMatch(/<input type="password" value=""/)
  expect(document).toContain('id="email-error" role="alert">Bad email.<')
  expect(document).toContain('<p class="notice" role="alert">Not yet.</p>')
  expect(document).not.toContain('username-error')
})

test('the registration page escapes submitted values and errors', () => {
  const text = '<i>"&\''
  const errors = { email: text, username: text, password: text, form: text }
  const values = { email: text, username: text }
  const document = renderRegisterPage({ nonce: 'n', csrf: text, values, errors })
  expect(document.match(/<i>/g)).toBe(null)
  expect(document.match(/&lt;i&gt;/g)).toHaveLength(7)
})
