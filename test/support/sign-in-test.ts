import type { TestAppOptions } from './app.ts'
import { appTest } from './test.ts'

/**
 * Returns a `test` for sign-ins with a new account per test, because attempts are limited to ten
 * per minute.
 */
export const signInTest = (options: TestAppOptions = {}) =>
  appTest(options)
    .extend('mine', ({ make }) => make.owner())
    .extend('email', ({ mine }) => mine.account.email)

let addresses = 0

/** Returns an IP address without previous attempts. */
export function newAddress() {
  addresses += 1
  return `198.51.100.${addresses}`
}
