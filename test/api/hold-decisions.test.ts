import { describe, expect } from 'vitest'
import { listHeldLinks } from '../../src/holds/hold.service.ts'
import { deleteLink } from '../../src/links/link.service.ts'
import { decideHold } from '../../src/operator/moderation.service.ts'
import { listReports } from '../../src/reports/report.service.ts'
import { scopeOf } from '../../src/scope.ts'
import type { signIn } from '../support/console.ts'
import {
  ALIAS_HELD,
  DESTINATION_HELD,
  expectConflict,
  FIRST_PAGE,
  GOOD_URL,
  heldLinksTest as test,
} from '../support/held-links-test.ts'
import type { Owner } from '../support/make.ts'

describe("an admin's decision on a held link", () => {
  const decide = async (
    app: Parameters<typeof signIn>[0],
    caller: Owner,
    id: number,
    decision: 'confirm' | 'release',
  ) => decideHold(app.services, app.services.db, caller.account.username, id, decision)

  test('can confirm the hold and release it later', async ({
    app,
    owner,
    actions: { send, listHeld },
    badUrl,
    deletedLink: { id, alias },
  }) => {
    const body = { url: badUrl, custom: alias }
    await decide(app, owner, id, 'confirm')
    expect((await listHeld()).find((heldLink) => heldLink.id === id)).toBeUndefined()
    expectConflict(await send('POST', '/api/url/add', { ...body, url: GOOD_URL }), ALIAS_HELD)
    expectConflict(await send('POST', '/api/url/add', { url: badUrl }), DESTINATION_HELD)
    const { entries } = await listHeldLinks(
      app.services,
      app.services.db,
      { confirmed: true },
      FIRST_PAGE,
    )
    expect(entries.find((heldLink) => heldLink.id === id)).toMatchObject({
      confirmed: { by: owner.account.username },
    })
    await decide(app, owner, id, 'release')
    expect((await send('POST', '/api/url/add', body)).statusCode).toBe(200)
    await expect(decide(app, owner, id, 'release')).rejects.toMatchObject({ code: 'not_found' })
  })

  test('settles the link’s reports', async ({ app, owner, make, actions: { report }, badUrl }) => {
    const caller = await make.owner()
    const { id, shortUrl } = await make.link(caller, { url: badUrl })
    await report(id)
    await deleteLink(scopeOf(app.services, caller.account.id), id)
    await decide(app, owner, id, 'release')
    const { entries } = await listReports(
      app.services,
      app.services.db,
      { settled: true },
      FIRST_PAGE,
    )
    expect(entries.find(({ link }) => link.id === id)).toMatchObject({
      link: { shortUrl, destinations: [badUrl], status: null },
      account: { username: caller.account.username },
      settled: { decision: 'release', by: owner.account.username },
    })
  })
})
