import type { TestAppOptions } from './app.ts'
import { newOwnerTest } from './test.ts'

/**
 * Returns a `test` for sign-ins with a new account per test, because attempts are limited to ten
 * per minute. `email` is the email address of its owner.
 */
export const signInTest = (options: TestAppOptions = {}) =>
  newOwnerTest(options).extend('email', ({ owner }) => owner.account.email)
