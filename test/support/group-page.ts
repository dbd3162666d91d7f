import { expect } from 'vitest'
import type { TestApp } from './app.ts'
import { type Person, signedIn } from './console.ts'
import { type Fields, postForm } from './forms.ts'
import { newOwnerTest } from './test.ts'

/**
 * A `test` for pages of campaigns and channels: `person` is signed in as `owner`, and `otherPerson`
 * as `otherOwner`, both new accounts per test.
 */
export const groupTest = newOwnerTest()
  .extend('otherOwner', ({ make }) => make.owner())
  .extend('person', ({ app, owner }) => signedIn(app, owner))
  .extend('otherPerson', ({ app, otherOwner }) => signedIn(app, otherOwner))

/** Visits these paths, each from another IP address, and imports the clicks. */
export async function visitEach(app: TestApp, paths: readonly string[]): Promise<void> {
  const headers = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Firefox/128.0' }
  for (const [index, url] of paths.entries()) {
    await app.request({ url, remoteAddress: `198.51.100.${index + 1}`, headers })
  }
  await app.importClicks()
}

/**
 * Expects that `otherPerson` gets 404 for the pages and forms of `person`'s group at `path`, that
 * `person` gets 404 for an unknown group, and that forms without a token are rejected.
 */
export async function expectPrivate(
  app: TestApp,
  { person, otherPerson }: { person: Person; otherPerson: Person },
  { path, posts }: { path: string; posts: Readonly<Record<string, Fields>> },
): Promise<void> {
  const listPath = path.slice(0, path.lastIndexOf('/'))
  for (const suffix of ['', '/countries', '/countries.csv', '/timeline.csv']) {
    expect((await otherPerson.open(`${path}${suffix}`)).statusCode).toBe(404)
    expect((await person.open(`${listPath}/999999${suffix}`)).statusCode).toBe(404)
  }
  expect((await otherPerson.open(`${listPath}/abc`)).statusCode).toBe(404)
  for (const [suffix, fields] of Object.entries(posts)) {
    const url = `${path}${suffix}`
    expect([url, (await otherPerson.send(url, fields)).statusCode]).toEqual([url, 404])
    const forged = await postForm(app, url, fields, { cookie: person.cookie })
    expect([url, forged.statusCode]).toEqual([url, 403])
  }
}
