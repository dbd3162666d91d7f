import { describe, expect, vi } from 'vitest'
import { deleteOwnAccount, finishDeletion } from '../../src/accounts/account-deletion.ts'
import { updateBio } from '../../src/bio/bio.service.ts'
import { inTransaction } from '../../src/db/transaction.ts'
import { listHeldLinks } from '../../src/holds/hold.service.ts'
import { deleteDomain } from '../../src/links/domain-deletion.ts'
import { deleteLink, getLink, updateLink } from '../../src/links/link.service.ts'
import type { LinkStatus } from '../../src/links/link.ts'
import { findByShortLink } from '../../src/links/link-list.service.ts'
import { moderateLink } from '../../src/links/link-moderation.ts'
import { digestOf } from '../../src/links/link-targets.ts'
import { deleteLinks } from '../../src/links/trash.service.ts'
import { decideHold } from '../../src/operator/hold-actions.service.ts'
import { decideReport } from '../../src/operator/report-actions.service.ts'
import { deleteQrCode, listQrCodes } from '../../src/qr/qr.service.ts'
import { addReport, listReports, settleReport } from '../../src/reports/report.service.ts'
import { apiClient, type Reply } from '../support/api-client.ts'
import type { TestApp } from '../support/app.ts'
import { signIn } from '../support/console.ts'
import { base64, legacyApiClient } from '../support/legacy-api.ts'
import { someoneWaits } from '../support/lock-waits.ts'
import type { Owner } from '../support/make.ts'
import { appTest } from '../support/test.ts'
import { fileOf, jsonl, transferOf } from '../support/transfer.ts'
import { yourlsClient } from '../support/yourls.ts'

const GOOD = 'https://example.com/good'
const ALIAS_HELD =
  'That alias is reserved: its last link was disabled by an admin or deleted while it was reported. Please choose another one.'
const DESTINATION_HELD =
  'That destination is reserved: your link to it was disabled by an admin or deleted while it was reported.'

const test = appTest()
  .extend('given', { scope: 'file' }, ({ app, owner }) => {
    let visitors = 0
    return {
      send: apiClient({ app, owner }),
      /** Disables a link as an admin. */
      disable: (shortUrl: string) => moderate(app, shortUrl, 'disabled', 'Bait'),
      /** Reports a link as a visitor. */
      async report(linkId: number, text = '') {
        visitors += 1
        const address = `198.51.100.${visitors}`
        await addReport(app.services, app.services.db, linkId, address, {
          reason: 'phishing',
          text,
        })
      },
      held: async () =>
        (await listHeldLinks(app.services, app.services.db, { confirmed: false }, page)).entries,
    }
  })
  .extend('count', { scope: 'file' }, () => ({ links: 0 }))
  /** A separate destination per test, because reservations apply to the account. */
  .extend('bad', ({ count }) => {
    count.links += 1
    return `https://evil.example/${count.links}`
  })
  /** The alias of a link to `bad` that was disabled by an admin and then deleted by its owner. */
  .extend('deleted', async ({ app, owner, make, given, count, bad }) => {
    const alias = `bait-${count.links}`
    const { id, shortUrl } = await make.link(owner, { url: bad, alias })
    await given.disable(shortUrl)
    await deleteLink(app.services, app.services.db, owner.account.id, id)
    return { id, alias, shortUrl }
  })

const page = { limit: 100, offset: 0 }

function expectConflict(reply: Reply, message: string): void {
  expect([reply.statusCode, reply.json()]).toEqual([409, { error: 1, message }])
}

function moderate({ services }: TestApp, shortUrl: string, status: LinkStatus, reason?: string) {
  return inTransaction(services.db, (tx) => moderateLink(services, tx, shortUrl, status, reason))
}

describe('the alias of a deleted link that was disabled by an admin', () => {
  test('is rejected for all accounts on every surface', async ({
    app,
    owner,
    make,
    given: { send },
    deleted: { alias },
  }) => {
    const other = await make.owner()
    const body = { url: GOOD, custom: alias }
    for (const by of [owner, other]) {
      expectConflict(await send('POST', '/api/url/add', body, by), ALIAS_HELD)
      const batch = await send('POST', '/api/urls/add', { urls: [{ url: GOOD }, body] }, by)
      expect(batch.json().results).toMatchObject([{ error: 0 }, { error: 1, message: ALIAS_HELD }])
      const { id } = await make.link(by, { url: GOOD })
      const update = await send('PUT', `/api/url/${id}/update`, body, by)
      expectConflict(update, ALIAS_HELD)
      expect((await getLink(app.services, app.services.db, by.account.id, id)).alias).not.toBe(
        alias,
      )
      const path = `create/custom_url/${alias}/url/${base64(GOOD)}.json`
      const legacy = await legacyApiClient({ app, owner }).call(path, by)
      expect(legacy.json()).toMatchObject({ code: 409, data: { message: ALIAS_HELD } })
      const yourls = await yourlsClient({ app, owner })(
        { action: 'shorturl', url: GOOD, keyword: alias },
        by,
      )
      expect(yourls.json()).toMatchObject({ status: 'fail', code: 'error:keyword' })
      const person = await signIn(app, by.account.email)
      const form = await person.send('/console/links', { url: GOOD, alias })
      expect([form.statusCode, form.body]).toEqual([
        422,
        expect.stringMatching(/id="alias-error"[^>]*>That alias is reserved/),
      ])
      const editor = await person.send('/console/links/new', { url: GOOD, alias, type: 'direct' })
      expect([editor.statusCode, editor.body]).toEqual([
        422,
        expect.stringMatching(/id="alias-error"[^>]*>That alias is reserved/),
      ])
      const free = await person.open(`/console/links/free?alias=${alias}`)
      expect(free.json()).toEqual({ state: 'held', text: 'This alias is reserved.' })
    }
    expect((await app.request({ url: `/${alias}` })).statusCode).toBe(404)
  })

  test('counts as taken in imports, as their dry runs predict', async ({
    app,
    make,
    deleted: { alias },
  }) => {
    const other = await make.owner()
    const { import: run, failure } = transferOf(app, other)
    const file = await fileOf(jsonl({ alias, url: GOOD }), 'links.jsonl')
    const skip = ['--on-taken', 'skip']
    expect(await run(file, 'jsonl', ...skip, '--dry-run')).toMatchObject({ created: 0, taken: 1 })
    expect(await run(file, 'jsonl', ...skip)).toMatchObject({ created: 0, taken: 1 })
    expect(await failure(file, 'jsonl', '--on-taken', 'fail')).toContain('is taken')
    const renamed = await run(file, 'jsonl', '--on-taken', 'rename')
    expect(renamed).toMatchObject({ created: 1, renamed: 1 })
    const link = await findByShortLink(
      app.services,
      app.services.db,
      other.account.id,
      `${alias}-2`,
    )
    expect(link?.url).toBe(GOOD)
  })

  test('stays reserved on a domain later added by another account', async ({
    app,
    make,
    given: { send, disable },
    bad,
  }) => {
    const [first, second] = [await make.owner(), await make.owner()]
    const domain = `https://moved-${first.account.id}.example`
    const { id } = await make.domain(first, { domain })
    const link = await make.link(first, { url: bad, alias: 'bait', domain })
    await disable(link.shortUrl)
    await deleteLink(app.services, app.services.db, first.account.id, link.id)
    await deleteDomain(app.services, app.services.db, first.account.id, id)
    await make.domain(second, { domain })
    const body = { url: GOOD, custom: 'bait', domain }
    expectConflict(await send('POST', '/api/url/add', body, second), ALIAS_HELD)
    const elsewhere = await send('POST', '/api/url/add', { url: GOOD, custom: 'bait' }, second)
    expect(elsewhere.statusCode).toBe(200)
  })

  test('is rejected even while its deletion is not committed', async ({
    app,
    owner,
    make,
    given: { send, disable },
    bad,
  }) => {
    const other = await make.owner()
    const { id, alias, shortUrl } = await make.link(owner, { url: bad, alias: 'in-a-race' })
    await disable(shortUrl)
    const { database } = app.services
    const racing = inTransaction(database.db, async (tx) => {
      await deleteLink(app.services, tx, owner.account.id, id)
      const creation = send('POST', '/api/url/add', { url: GOOD, custom: alias }, other)
      await vi.waitUntil(() => someoneWaits(database.pool))
      return { creation }
    })
    expectConflict(await (await racing).creation, ALIAS_HELD)
  })
})

describe('the destination of a link that an admin disabled', () => {
  test('is rejected for its owner on every surface, and for no other account', async ({
    app,
    owner,
    make,
    given: { send },
    bad,
    deleted,
  }) => {
    expect(deleted.alias).toBeTruthy()
    const sameUrls = [bad, `${bad}#again`, bad.replace('https:', 'http:')]
    for (const url of sameUrls) {
      expectConflict(await send('POST', '/api/url/add', { url }), DESTINATION_HELD)
    }
    const geotarget = [{ location: 'France', link: bad }]
    expectConflict(await send('POST', '/api/url/add', { url: GOOD, geotarget }), DESTINATION_HELD)
    const batch = await send('POST', '/api/urls/add', {
      urls: [{ url: GOOD }, { url: bad }, { url: GOOD }],
    })
    expect(batch.json().results).toMatchObject([
      { error: 0 },
      { error: 1, message: DESTINATION_HELD },
      { error: 0 },
    ])
    const { id } = await make.link(owner, { url: GOOD })
    for (const body of [{ url: bad }, { url: GOOD, geotarget }]) {
      const update = await send('PUT', `/api/url/${id}/update`, body)
      expectConflict(update, DESTINATION_HELD)
    }
    expect(await getLink(app.services, app.services.db, owner.account.id, id)).toMatchObject({
      url: GOOD,
      geoTargets: [],
    })
    const legacy = await legacyApiClient({ app, owner }).call(`create/url/${base64(bad)}.json`)
    expect(legacy.json()).toMatchObject({ code: 409, data: { message: DESTINATION_HELD } })
    const yourls = await yourlsClient({ app, owner })({ action: 'shorturl', url: bad })
    expect([yourls.statusCode, yourls.json()]).toMatchObject([
      409,
      { status: 'fail', code: 'error:spam', message: DESTINATION_HELD },
    ])
    const person = await signIn(app, owner.account.email)
    for (const path of ['/console/links', '/console/links/new', `/console/links/${id}/edit`]) {
      const reply = await person.send(path, { url: bad, type: 'direct' })
      expect([path, reply.statusCode, reply.body]).toEqual([
        path,
        422,
        expect.stringMatching(/id="url-error"[^>]*>That destination is reserved/),
      ])
    }
    const qr = await send('POST', '/api/qr/add', { type: 'link', data: bad })
    expectConflict(qr, DESTINATION_HELD)
    const code = await make.qr(owner, { data: GOOD })
    const changed = await send('PUT', `/api/qr/${code.id}/update`, { data: bad })
    expectConflict(changed, DESTINATION_HELD)

    const other = await make.owner()
    expect((await send('POST', '/api/url/add', { url: bad }, other)).statusCode).toBe(200)
  })

  test('is rejected in bio pages, overlays, splash pages and domain redirects, but may stay in them', async ({
    app,
    make,
    given: { send, disable },
    bad,
  }) => {
    const by = await make.owner()
    const link = await make.link(by, { url: bad })
    const bio = await make.bio(by, { links: [{ url: bad }] })
    await disable(link.shortUrl)
    const problem =
      'is reserved: your link to it was disabled by an admin or deleted while it was reported'
    for (const [kind, body, field] of [
      [
        'bio',
        { alias: `bio-of-${by.account.id}`, title: 'b', links: [{ url: bad }] },
        'links[0].url',
      ],
      ['overlay', { type: 'message', name: 'a', text: 'b', link: bad }, 'link'],
      ['splash', { name: 'a', title: 'b', message: 'c', link: bad }, 'link'],
      ['domain', { domain: 'https://held.test', redirectroot: bad }, 'redirectroot'],
    ] as const) {
      const reply = await send('POST', `/api/${kind}/add`, body, by)
      expect([kind, reply.statusCode, reply.json().message]).toEqual([
        kind,
        400,
        `${field} ${problem}`,
      ])
    }
    const links = [{ title: 'New title', url: bad }]
    expect(
      await updateBio(app.services, app.services.db, by.account.id, bio.id, { links }),
    ).toMatchObject({
      links,
    })
  })

  test('is rejected row by row in imports and dry runs', async ({
    app,
    make,
    given: { disable },
    bad,
  }) => {
    const by = await make.owner()
    const there = await make.link(by, { url: bad, alias: `there-${by.account.id}` })
    await disable(there.shortUrl)
    const records = [
      { alias: `fresh-${by.account.id}`, url: GOOD },
      { alias: `again-${by.account.id}`, url: bad },
      { alias: there.alias, url: bad },
    ]
    const file = await fileOf(jsonl(...records), 'links.jsonl')
    for (const args of [['--dry-run'], []]) {
      const result = await transferOf(app, by).import(file, 'jsonl', ...args)
      expect(result).toMatchObject({ created: 1, refused: 1, present: 1 })
      expect(JSON.stringify(result)).toContain(DESTINATION_HELD)
    }
  })

  test('does not prevent editing that link and other existing links to it', async ({
    app,
    make,
    given: { send, disable },
    bad,
  }) => {
    const by = await make.owner()
    const [link, second] = [await make.link(by, { url: bad }), await make.link(by, { url: bad })]
    await disable(link.shortUrl)
    expectConflict(await send('POST', '/api/url/add', { url: bad }, by), DESTINATION_HELD)
    for (const [id, url] of [
      [second.id, bad],
      [link.id, GOOD],
      [link.id, bad],
    ] as const) {
      const reply = await send('PUT', `/api/url/${id}/update`, { url, metatitle: 'New' }, by)
      expect([url, reply.statusCode]).toEqual([url, 200])
    }
    await moderate(app, link.shortUrl, 'active')
    expect((await send('POST', '/api/url/add', { url: bad }, by)).statusCode).toBe(200)
  })

  test('stays reserved after the link is changed, renamed and deleted', async ({
    app,
    make,
    given: { send, disable, held },
    bad,
  }) => {
    const by = await make.owner()
    const { id, alias, shortUrl } = await make.link(by, { url: bad, alias: `old-${by.account.id}` })
    await disable(shortUrl)

    await updateLink(app.services, app.services.db, by.account.id, id, {
      url: GOOD,
      alias: `new-${by.account.id}`,
    })
    await deleteLink(app.services, app.services.db, by.account.id, id)
    expectConflict(await send('POST', '/api/url/add', { url: bad }, by), DESTINATION_HELD)
    for (const custom of [alias, `new-${by.account.id}`]) {
      const reply = await send('POST', '/api/url/add', { url: 'https://example.com/3', custom }, by)
      expectConflict(reply, ALIAS_HELD)
    }
    expect((await held()).find((each) => each.id === id)).toMatchObject({
      shortUrl: `http://brev.test/new-${by.account.id}`,
      formerAliases: [`brev.test/${alias}`],
      disabled: { reason: 'Bait' },
    })
  })
})

describe('a link that visitors reported', () => {
  test('can be edited and renamed, and its destination used again', async ({
    make,
    given: { send, report },
    bad,
  }) => {
    const by = await make.owner()
    const { id, alias } = await make.link(by, { url: bad, alias: `seen-${by.account.id}` })
    await report(id)
    const custom = `elsewhere-${by.account.id}`
    for (const body of [
      { url: GOOD },
      { url: bad, custom },
      { url: bad, custom: alias },
      { url: bad, custom },
    ]) {
      const reply = await send('PUT', `/api/url/${id}/update`, body, by)
      expect([body, reply.statusCode]).toEqual([body, 200])
    }
    expect((await send('POST', '/api/url/add', { url: bad }, by)).statusCode).toBe(200)
    // Its former alias stays reserved until an admin has decided.
    const taking = { url: 'https://example.com/2', custom: alias }
    expectConflict(await send('POST', '/api/url/add', taking, by), ALIAS_HELD)
    expectConflict(await send('POST', '/api/url/add', taking), ALIAS_HELD)
  })

  test('releases its former alias after the reports are settled', async ({
    app,
    owner,
    make,
    given: { send, report },
    bad,
  }) => {
    const by = await make.owner()
    const { id, alias } = await make.link(by, { url: bad, alias: `once-${by.account.id}` })
    await report(id)
    await updateLink(app.services, app.services.db, by.account.id, id, {
      url: bad,
      alias: `${alias}-2`,
    })
    const { entries } = await listReports(app.services, app.services.db, { settled: false }, page)
    const reports = entries.find(({ link }) => link.id === id)
    const verdict = { decision: 'dismiss', seen: digestOf([bad]) } as const
    await decideReport(
      app.services,
      app.services.db,
      owner.account.username,
      reports?.id ?? 0,
      verdict,
    )
    expect((await send('POST', '/api/url/add', { url: GOOD, custom: alias })).statusCode).toBe(200)
  })

  test('reserves a limited number of aliases when renamed', async ({
    make,
    given: { send, report },
    bad,
  }) => {
    const by = await make.owner()
    const alias = `again-${by.account.id}`
    const { id } = await make.link(by, { url: bad, alias })
    await report(id)
    const rename = (custom: string) =>
      send('PUT', `/api/url/${id}/update`, { url: bad, custom }, by)
    for (let count = 1; count <= 20; count += 1) {
      expect((await rename(`${alias}-${count}`)).statusCode).toBe(200)
    }
    const refused = await rename(`${alias}-21`)
    expect([refused.statusCode, refused.json()]).toEqual([
      400,
      { error: 1, message: 'custom cannot change again while the link is under review' },
    ])
    expect(
      (await send('POST', '/api/url/add', { url: GOOD, custom: `${alias}-21` })).json(),
    ).toMatchObject({ error: 0 })
  })

  test('keeps its reports and reserves its reported destinations after deletion', async ({
    app,
    make,
    given: { send, report, held },
    bad,
  }) => {
    const by = await make.owner()
    const { id, alias } = await make.link(by, { url: bad, alias: `gone-${by.account.id}` })
    await report(id, 'It wants my password')
    await report(id)
    await updateLink(app.services, app.services.db, by.account.id, id, { url: GOOD })
    await deleteLink(app.services, app.services.db, by.account.id, id)
    expect((await held()).find((each) => each.id === id)).toMatchObject({
      destinations: expect.arrayContaining([bad, GOOD]),
      account: { id: by.account.id, exists: true },
      disabled: null,
      reports: [{ counts: { phishing: 2 }, texts: [{ text: 'It wants my password' }] }],
      confirmed: null,
    })
    expectConflict(await send('POST', '/api/url/add', { url: GOOD, custom: alias }), ALIAS_HELD)
    for (const url of [bad, GOOD]) {
      expectConflict(await send('POST', '/api/url/add', { url }, by), DESTINATION_HELD)
    }
  })

  test('is held however it is deleted: in bulk, with its QR code, with its account', async ({
    app,
    make,
    given: { report, held },
    bad,
  }) => {
    const { services } = app
    const by = await make.owner()
    const many = await make.link(by, { url: bad })
    await make.qr(by, { data: bad })
    const { entries } = await listQrCodes(services, services.db, by.account.id, {
      limit: 1,
      offset: 0,
    })
    const code = entries[0]
    const last = await make.link(by, { url: bad })
    for (const id of [many.id, code?.linkId ?? 0, last.id]) await report(id)
    await deleteLinks(services, services.db, by.account.id, [many.id])
    await deleteQrCode(services, services.db, by.account.id, code?.id ?? 0)
    await deleteOwnAccount(services, services.db, by.account.id)
    expect(await finishDeletion(services.db, by.account.id)).toBe(true)
    const found = (await held()).filter(({ account }) => account.id === by.account.id)
    expect(found.map(({ id }) => id).toSorted((a, b) => a - b)).toEqual(
      [many.id, code?.linkId ?? 0, last.id].toSorted((a, b) => a - b),
    )
    expect(found[0]?.account).toMatchObject({ username: by.account.username, exists: false })
    await expect(make.link(await make.owner(), { alias: last.alias })).rejects.toMatchObject({
      code: 'alias_held',
    })
  })

  test('reserves nothing if it is deleted after its reports were dismissed', async ({
    app,
    make,
    given: { send, report, held },
    bad,
  }) => {
    const by = await make.owner()
    const { id, alias } = await make.link(by, { url: bad, alias: `cleared-${by.account.id}` })
    await report(id)
    const { entries } = await listReports(app.services, app.services.db, { settled: false }, page)
    const reports = entries.find(({ link }) => link.id === id)
    if (!reports) throw new Error('the link has no reports')
    await inTransaction(app.services.db, (tx) =>
      settleReport(app.services, tx, reports, 'dismiss', 'root'),
    )
    await deleteLink(app.services, app.services.db, by.account.id, id)
    expect((await held()).find((each) => each.id === id)).toBeUndefined()
    const again = await send('POST', '/api/url/add', { url: bad, custom: alias }, by)
    expect(again.statusCode).toBe(200)
  })
})

describe("an admin's decision on a held link", () => {
  const decide = async (
    app: Parameters<typeof signIn>[0],
    by: Owner,
    id: number,
    decision: 'confirm' | 'release',
  ) => decideHold(app.services, app.services.db, by.account.username, id, decision)

  test('can confirm it, and release it later', async ({
    app,
    owner,
    given: { send, held },
    bad,
    deleted: { id, alias },
  }) => {
    const body = { url: bad, custom: alias }
    await decide(app, owner, id, 'confirm')
    expect((await held()).find((each) => each.id === id)).toBeUndefined()
    expectConflict(await send('POST', '/api/url/add', { ...body, url: GOOD }), ALIAS_HELD)
    expectConflict(await send('POST', '/api/url/add', { url: bad }), DESTINATION_HELD)
    const { entries } = await listHeldLinks(
      app.services,
      app.services.db,
      { confirmed: true },
      page,
    )
    expect(entries.find((each) => each.id === id)).toMatchObject({
      confirmed: { by: owner.account.username },
    })
    await decide(app, owner, id, 'release')
    expect((await send('POST', '/api/url/add', body)).statusCode).toBe(200)
    await expect(decide(app, owner, id, 'release')).rejects.toMatchObject({ code: 'not_found' })
  })

  test('settles its reports, which are then listed as settled', async ({
    app,
    owner,
    make,
    given: { report },
    bad,
  }) => {
    const by = await make.owner()
    const { id, shortUrl } = await make.link(by, { url: bad })
    await report(id)
    await deleteLink(app.services, app.services.db, by.account.id, id)
    await decide(app, owner, id, 'release')
    const { entries } = await listReports(app.services, app.services.db, { settled: true }, page)
    expect(entries.find(({ link }) => link.id === id)).toMatchObject({
      link: { shortUrl, targets: [bad], status: null },
      account: { username: by.account.username },
      settled: { decision: 'release', by: owner.account.username },
    })
  })
})
