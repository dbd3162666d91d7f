import type { TestApp } from './app.ts'
import { signedIn } from './console.ts'
import type { Fields } from './forms.ts'
import type { Owner } from './make.ts'
import { newOwnerTest } from './test.ts'

/**
 * Returns a `test` for the list of links: `person` is signed in as `owner`, a new account per test.
 */
export function linkListTest() {
  return newOwnerTest().extend('person', ({ app, owner }) => signInToList(app, owner))
}

async function signInToList(app: TestApp, owner: Owner) {
  const person = await signedIn(app, owner)
  return {
    ...person,
    /** Submits a bulk action for these links. */
    change: (action: string, ids: readonly (number | string)[], fields: Fields = {}) =>
      person.send('/console/links/change', { action, ...fields, id: ids.map(String) }),
  }
}

/** Returns the ids of the links on a page, in order. */
export const idsOn = ({ body }: { body: string }) =>
  [...body.matchAll(/form="change" name="id" value="(\d+)"/g)].map(([, id]) => Number(id))
