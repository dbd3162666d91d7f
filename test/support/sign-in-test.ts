import type { TestAppOptions } from './app.ts'
import { newOwnerTest } from './test.ts'

/**
 * Returns a `test` for sign-ins with a new account per test, because attempts are limited to ten
 * per minute. `email` is the email address of its owner.
 */
export const signInTest = (options: TestAppOptions = {}) =>
  newOwnerTest(options).extend('email', ({ owner }) => owner.account.email)

let addresses = 0

/** Returns an IP address without previous attempts. */
export function newAddress() {
  addresses += 1
  return `198.51.100.${addresses}`
}
