import { describe, expect, test } from 'vitest'
import { checkEmail, checkPassword, checkPlan, checkUsername } from './account.ts'

describe('a user name', () => {
  test.each(['ab', 'A1', '9-_', 'a'.repeat(32)])('%s is taken', (username) => {
    expect(checkUsername(username)).toBe(username)
  })

  test.each(['', 'a', 'a'.repeat(33), '-ab', '_ab', 'a b', 'ab\n', 'äb', '../x'])(
    '%j is refused by name',
    (username) => {
      expect(() => checkUsername(username)).toThrow(/^username must be 2 to 32 letters/)
    },
  )
})

describe('a plan', () => {
  test.each(['free', 'pro'])('%s is known', (plan) => {
    expect(checkPlan(plan)).toBe(plan)
  })

  test.each(['', 'Pro', 'gold', 'toString'])('%j is refused by name', (plan) => {
    expect(() => checkPlan(plan)).toThrow('plan must be one of free, pro')
  })
})

describe('an email address', () => {
  const longHost = `${'b'.repeat(248)}.cc`

  test.each(['a@b.c', ' a+b@c.d ', 'ö@bücher.example', `a@${longHost}`])('%s is taken', (email) => {
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
  ])('%j is refused by name', (email) => {
    expect(() => checkEmail(email)).toThrow('email must be a valid email address')
  })
})

describe('a password', () => {
  test.each(['12345678', '👍'.repeat(8), 'x'.repeat(200), '        '])(
    '%s is taken',
    (password) => {
      expect(checkPassword(password)).toBe(password)
    },
  )

  test.each(['', '1234567', '👍'.repeat(7), 'x'.repeat(201), '1234567\udc00'])(
    '%j is refused by name',
    (password) => {
      expect(() => checkPassword(password)).toThrow('password must be 8 to 200 characters long')
    },
  )
})
