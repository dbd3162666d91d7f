import type { TestAppOptions } from './app.ts'
import { appTest } from './test.ts'

/** Tests of who signs in, each with an account of its own, for each may be tried ten times a minute. */
export const signInTest = (options: TestAppOptions = {}) =>
  appTest(options)
    .extend('mine', ({ make }) => make.owner())
    .extend('email', ({ mine }) => mine.account.email)

let addresses = 0

/** An address that nobody has tried from. */
export function newAddress() {
  addresses += 1
  return `198.51.100.${addresses}`
}
