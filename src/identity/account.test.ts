import { describe, expect, test } from 'vitest'
import { checkEmail, checkPassword, checkPlan, checkUsername } from './account.ts'

describe('checkUsername', () => {
  test.each(['ab', 'A1', '9-_', 'a'.repeat(32)])('accepts %s', (username) => {
    expect(checkUsername(username)).toBe(username)
  })

  test.each(['', 'a', 'a'.repeat(33), '-ab', '_ab', 'a b', 'ab\n', 'äb', '../x'])(
    'rejects %j and names the field',
    (username) => {
      expect(() => checkUsername(username)).toThrow(/^username must be 2 to 32 letters/)
    },
  )
})

describe('checkPlan', () => {
  test.each(['free', 'pro'])('accepts %s', (plan) => {
    expect(checkPlan(plan)).toBe(plan)
  })

  test.each(['', 'Pro', 'gold', 'toString'])('rejects %j and names the field', (plan) => {
    expect(() => checkPlan(plan)).toThrow('plan must be one of free, pro')
  })
})

describe('checkEmail', () => {
  const longHost = `${'b'.repeat(248)}.cc`

  test.each(['a@b.c', ' a+b@c.d ', 'ö@bücher.example', `a@${longHost}`])('accepts %s', (email) => {
    expect(checkEmail(email)).toBe(email.trim())
  })

  test.each([
    '',
    'a',
    'a@b',
    '@b.c',
    'a@b@c.d',
    'a b@c.d',
    'a@b.c\r\nBcc: x@y.z',
    '\ud800@b.c',
    `${'a'.repeat(65)}@b.c`,
    `aa@${longHost}b`,
  ])('rejects %j and names the field', (email) => {
    expect(() => checkEmail(email)).toThrow('email must be a valid email address')
  })
})

describe('checkPassword', () => {
  test.each(['12345678', '👍'.repeat(8), 'x'.repeat(200), '        '])('accepts %s', (password) => {
    expect(checkPassword(password)).toBe(password)
  })

  test.each(['', '1234567', '👍'.repeat(7), 'x'.repeat(201), '1234567\udc00'])(
    'rejects %j and names the field',
    (password) => {
      expect(() => checkPassword(password)).toThrow('password must be 8 to 200 characters long')
    },
  )
})
