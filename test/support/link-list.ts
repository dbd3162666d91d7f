import { createSession } from '../../src/accounts/session.service.ts'
import type { TestApp } from './app.ts'
import { personWith } from './console.ts'
import { formOf } from './forms.ts'
import type { Owner } from './make.ts'
import { appTest } from './test.ts'

/** Tests of the list of links: `person` is signed in as `mine`, a new account per test. */
export function linkListTest() {
  return appTest()
    .extend('mine', ({ make }) => make.owner())
    .extend('person', ({ app, mine }) => signedIn(app, mine))
}

async function signedIn(t: TestApp, { account }: Owner) {
  const cookie = `brevis_session=${await createSession(t.services, t.services.db, account.id)}`
  const { open, send } = personWith(t, cookie)
  return {
    cookie,
    open,
    send,
    /** Submits the bulk action form of the list. */
    async change(action: string, ids: readonly (number | string)[], fields: object = {}) {
      const { csrf } = formOf(await open('/console'))
      const payload = new URLSearchParams({ csrf, action, ...fields })
      for (const id of ids) payload.append('id', String(id))
      return t.request({
        method: 'POST',
        url: '/console/links/change',
        headers: { cookie, 'content-type': 'application/x-www-form-urlencoded' },
        payload: payload.toString(),
      })
    },
  }
}

/** Returns the ids of the links on a page, in order. */
export const idsOn = ({ body }: { body: string }) =>
  [...body.matchAll(/form="change" name="id" value="(\d+)"/g)].map(([, id]) => Number(id))

export const decode = (text = '') => text.replaceAll('&amp;', '&').replaceAll('&#39;', "'")
