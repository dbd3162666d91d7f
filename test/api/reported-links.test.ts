import { describe, expect } from 'vitest'
import { deleteOwnAccount, finishDeletion } from '../../src/account-deletion/account-deletion.ts'
import { inTransaction } from '../../src/db/transaction.ts'
import { hashDestinations } from '../../src/links/destination.ts'
import { deleteLink, updateLink } from '../../src/links/link.service.ts'
import { deleteLinks } from '../../src/links/trash.service.ts'
import { decideReport } from '../../src/operator/moderation.service.ts'
import { deleteQrCode, listQrCodes } from '../../src/qr/qr.service.ts'
import { listReports, settleReport } from '../../src/reports/report.service.ts'
import { scopeOf } from '../../src/scope.ts'
import {
  ALIAS_HELD,
  DESTINATION_HELD,
  expectConflict,
  FIRST_PAGE,
  GOOD_URL,
  heldLinksTest as test,
} from '../support/held-links-test.ts'

describe('a link that visitors reported', () => {
  test('can be edited and renamed, and its destination reused', async ({
    make,
    actions: { send, report },
    badUrl,
  }) => {
    const caller = await make.owner()
    const { id, alias } = await make.link(caller, {
      url: badUrl,
      alias: `seen-${caller.account.id}`,
    })
    await report(id)
    const custom = `elsewhere-${caller.account.id}`
    for (const body of [
      { url: GOOD_URL },
      { url: badUrl, custom },
      { url: badUrl, custom: alias },
      { url: badUrl, custom },
    ]) {
      const reply = await send('PUT', `/api/url/${id}/update`, body, caller)
      expect([body, reply.statusCode]).toEqual([body, 200])
    }
    expect((await send('POST', '/api/url/add', { url: badUrl }, caller)).statusCode).toBe(200)
    // The former alias stays reserved until an admin decides.
    const payload = { url: 'https://example.com/2', custom: alias }
    expectConflict(await send('POST', '/api/url/add', payload, caller), ALIAS_HELD)
    expectConflict(await send('POST', '/api/url/add', payload), ALIAS_HELD)
  })

  test('releases its former alias after the reports are settled', async ({
    app,
    owner,
    make,
    actions: { send, report },
    badUrl,
  }) => {
    const caller = await make.owner()
    const { id, alias } = await make.link(caller, {
      url: badUrl,
      alias: `once-${caller.account.id}`,
    })
    await report(id)
    await updateLink(scopeOf(app.services, caller.account.id), id, {
      url: badUrl,
      alias: `${alias}-2`,
    })
    const { entries } = await listReports(
      app.services,
      app.services.db,
      { settled: false },
      FIRST_PAGE,
    )
    const reports = entries.find(({ link }) => link.id === id)
    const input = { decision: 'dismiss', seen: hashDestinations([badUrl]) } as const
    await decideReport(
      app.services,
      app.services.db,
      owner.account.username,
      reports?.id ?? 0,
      input,
    )
    expect((await send('POST', '/api/url/add', { url: GOOD_URL, custom: alias })).statusCode).toBe(
      200,
    )
  })

  test('can be renamed at most 20 times until an admin decides', async ({
    make,
    actions: { send, report },
    badUrl,
  }) => {
    const caller = await make.owner()
    const alias = `again-${caller.account.id}`
    const { id } = await make.link(caller, { url: badUrl, alias })
    await report(id)
    const rename = (custom: string) =>
      send('PUT', `/api/url/${id}/update`, { url: badUrl, custom }, caller)
    for (let count = 1; count <= 20; count += 1) {
      expect((await rename(`${alias}-${count}`)).statusCode).toBe(200)
    }
    const rejected = await rename(`${alias}-21`)
    expect([rejected.statusCode, rejected.json()]).toEqual([
      400,
      { error: 1, message: 'custom cannot change again while the link is under review' },
    ])
    expect(
      (await send('POST', '/api/url/add', { url: GOOD_URL, custom: `${alias}-21` })).json(),
    ).toMatchObject({ error: 0 })
  })

  test('keeps its reports and reserves its reported destinations after deletion', async ({
    app,
    make,
    actions: { send, report, listHeld },
    badUrl,
  }) => {
    const caller = await make.owner()
    const { id, alias } = await make.link(caller, {
      url: badUrl,
      alias: `gone-${caller.account.id}`,
    })
    await report(id, 'It wants my password')
    await report(id)
    await updateLink(scopeOf(app.services, caller.account.id), id, {
      url: GOOD_URL,
    })
    await deleteLink(scopeOf(app.services, caller.account.id), id)
    expect((await listHeld()).find((heldLink) => heldLink.id === id)).toMatchObject({
      destinations: expect.arrayContaining([badUrl, GOOD_URL]),
      account: { id: caller.account.id, exists: true },
      disabled: null,
      reports: [{ counts: { phishing: 2 }, texts: [{ text: 'It wants my password' }] }],
      confirmed: null,
    })
    expectConflict(await send('POST', '/api/url/add', { url: GOOD_URL, custom: alias }), ALIAS_HELD)
    for (const url of [badUrl, GOOD_URL]) {
      expectConflict(await send('POST', '/api/url/add', { url }, caller), DESTINATION_HELD)
    }
  })

  test('is held after deletion in bulk, with its QR code or with its account', async ({
    app,
    make,
    actions: { report, listHeld },
    badUrl,
  }) => {
    const { services } = app
    const caller = await make.owner()
    const bulkDeleted = await make.link(caller, { url: badUrl })
    await make.qr(caller, { data: badUrl })
    const { entries } = await listQrCodes(scopeOf(services, caller.account.id), {
      limit: 1,
      offset: 0,
    })
    const code = entries[0]
    const remaining = await make.link(caller, { url: badUrl })
    for (const id of [bulkDeleted.id, code?.linkId ?? 0, remaining.id]) await report(id)
    await deleteLinks(scopeOf(services, caller.account.id), [bulkDeleted.id])
    await deleteQrCode(scopeOf(services, caller.account.id), code?.id ?? 0)
    await deleteOwnAccount(scopeOf(services, caller.account.id))
    expect(await finishDeletion({ db: services.db, accountId: caller.account.id })).toBe(true)
    const heldLinks = (await listHeld()).filter(({ account }) => account.id === caller.account.id)
    expect(heldLinks.map(({ id }) => id).toSorted((a, b) => a - b)).toEqual(
      [bulkDeleted.id, code?.linkId ?? 0, remaining.id].toSorted((a, b) => a - b),
    )
    expect(heldLinks[0]?.account).toMatchObject({
      username: caller.account.username,
      exists: false,
    })
    await expect(make.link(await make.owner(), { alias: remaining.alias })).rejects.toMatchObject({
      code: 'alias_held',
    })
  })

  test('reserves nothing if it is deleted after its reports were dismissed', async ({
    app,
    make,
    actions: { send, report, listHeld },
    badUrl,
  }) => {
    const caller = await make.owner()
    const { id, alias } = await make.link(caller, {
      url: badUrl,
      alias: `cleared-${caller.account.id}`,
    })
    await report(id)
    const { entries } = await listReports(
      app.services,
      app.services.db,
      { settled: false },
      FIRST_PAGE,
    )
    const reports = entries.find(({ link }) => link.id === id)
    if (!reports) throw new Error('the link has no reports')
    await inTransaction(app.services.db, (tx) =>
      settleReport(app.services, tx, reports, 'dismiss', 'root'),
    )
    await deleteLink(scopeOf(app.services, caller.account.id), id)
    expect((await listHeld()).find((heldLink) => heldLink.id === id)).toBeUndefined()
    const again = await send('POST', '/api/url/add', { url: badUrl, custom: alias }, caller)
    expect(again.statusCode).toBe(200)
  })
})
