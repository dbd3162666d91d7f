import { expect } from 'vitest'
import { inTransaction } from '../../src/db/transaction.ts'
import { listHeldLinks } from '../../src/holds/hold.service.ts'
import { deleteLink } from '../../src/links/link.service.ts'
import type { LinkStatus } from '../../src/links/link.ts'
import { moderateLink } from '../../src/links/link-moderation.ts'
import { addReport } from '../../src/reports/report.service.ts'
import { scopeOf } from '../../src/scope.ts'
import { newAddress } from './addresses.ts'
import { apiClient, type Reply } from './api-client.ts'
import type { TestApp } from './app.ts'
import { appTest } from './test.ts'

export const GOOD_URL = 'https://example.com/good'
export const ALIAS_HELD =
  'That alias is reserved: its last link was disabled by an admin or deleted while it was reported. Please choose another one.'
export const DESTINATION_HELD =
  'That destination is reserved: your link to it was disabled by an admin or deleted while it was reported.'

/** A `test` for held links: aliases and destinations that stay reserved after moderation. */
export const heldLinksTest = appTest()
  .extend('actions', { scope: 'file' }, ({ app, owner }) => {
    return {
      send: apiClient({ app, owner }),
      /** Disables a link as an admin. */
      disable: (shortUrl: string) => moderate(app, shortUrl, 'disabled', 'Bait'),
      /** Reports a link as a new visitor. */
      async report(linkId: number, text = '') {
        await addReport(app.services, app.services.db, linkId, newAddress(), {
          reason: 'phishing',
          text,
        })
      },
      listHeld: async () =>
        (await listHeldLinks(app.services, app.services.db, { confirmed: false }, FIRST_PAGE))
          .entries,
    }
  })
  .extend('counter', { scope: 'file' }, () => ({ badUrls: 0 }))
  /** A new destination in each test, because reservations apply to the account of all tests. */
  .extend('badUrl', ({ counter }) => {
    counter.badUrls += 1
    return `https://evil.example/${counter.badUrls}`
  })
  /** A link to `badUrl` that was disabled by an admin and then deleted by its owner. */
  .extend('deletedLink', async ({ app, owner, make, actions, counter, badUrl }) => {
    const alias = `bait-${counter.badUrls}`
    const { id, shortUrl } = await make.link(owner, { url: badUrl, alias })
    await actions.disable(shortUrl)
    await deleteLink(scopeOf(app.services, owner.account.id), id)
    return { id, alias, shortUrl }
  })

export const FIRST_PAGE = { limit: 100, offset: 0 }

/** Expects a 409 reply with this message. */
export function expectConflict(reply: Reply, message: string): void {
  expect([reply.statusCode, reply.json()]).toEqual([409, { error: 1, message }])
}

/** Sets the status of a link as an admin. Visits notice it when PostgreSQL has notified the app. */
export function moderate(
  { services }: TestApp,
  shortUrl: string,
  status: LinkStatus,
  reason?: string,
) {
  return inTransaction(services.db, (tx) => moderateLink(services, tx, shortUrl, status, reason))
}
