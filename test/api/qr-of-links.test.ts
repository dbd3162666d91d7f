import { describe, expect } from 'vitest'
import { deleteOwnAccount, finishDeletion } from '../../src/account-deletion/account-deletion.ts'
import { deleteLink, updateLink } from '../../src/links/link.service.ts'
import { emptyTrash } from '../../src/links/trash.service.ts'
import { getQrDetails, listQrCodes } from '../../src/qr/qr.service.ts'
import { scopeOf } from '../../src/scope.ts'
import type { Owner } from '../support/make.ts'
import { qrClient } from '../support/qr-client.ts'
import { appTest } from '../support/test.ts'

const TARGET = 'https://example.com/menu'

const test = appTest().extend('api', { scope: 'file' }, ({ app, owner, request }) => ({
  ...qrClient({ app, owner }),
  /** Visits a short URL and returns the URL that it redirects to, or the status code. */
  async visit(shortUrl: string) {
    const { host, pathname, search } = new URL(shortUrl)
    const reply = await request({ url: pathname + search, headers: { host } })
    return String(reply.headers.location ?? reply.statusCode)
  },
  /** Returns the number of an account's links of any kind, and their clicks. */
  async countLinksAndClicks(caller: Owner) {
    await app.importClicks()
    const { rows } = await app.services.database.pool.query(
      `select count(*)::int as links, coalesce(sum(clicks), 0)::int as clicks
       from links left join click_totals on link_id = id where account_id = $1`,
      [caller.account.id],
    )
    return rows[0]
  },
}))

describe('a QR code for a link of the account', () => {
  test('encodes the short URL without creating another link, so a scan counts as one click', async ({
    make,
    api: { create, scan, visit, details, countLinksAndClicks },
  }) => {
    const caller = await make.owner()
    const { shortUrl } = await make.link(caller, { url: TARGET })
    const { id, link } = await create({ type: 'link', data: shortUrl }, caller)
    expect(await scan(link)).toBe(`${shortUrl}?qr`)
    expect(await visit(`${shortUrl}?qr`)).toBe(TARGET)
    expect(await visit(shortUrl)).toBe(TARGET)
    expect(await countLinksAndClicks(caller)).toEqual({ links: 1, clicks: 2 })
    expect(await details(id, caller)).toMatchObject({ details: { scans: 1 }, data: { clicks: 2 } })
  })

  test('accepts the link in any spelling, including on a branded domain', async ({
    app,
    make,
    api: { create, scan, countLinksAndClicks },
  }) => {
    const caller = await make.owner()
    await make.domain(caller, { domain: 'https://menu.example' })
    const ownLink = await make.link(caller, { alias: 'café' })
    const branded = await make.link(caller, { alias: 'menü', domain: 'menu.example' })
    for (const [data, shortUrl] of [
      ['café', ownLink.shortUrl],
      ['caf%C3%A9', ownLink.shortUrl],
      ['brev.test/café', ownLink.shortUrl],
      [['https://BREV.test/caf%c3%a9/'], ownLink.shortUrl],
      ['menü', branded.shortUrl],
      [' https://menu.example/menü ', branded.shortUrl],
    ] as const) {
      const { id, link } = await create({ type: 'link', data }, caller)
      expect([data, await scan(link)]).toEqual([data, `${shortUrl}?qr`])
      const { content } = await getQrDetails(scopeOf(app.services, caller.account.id), id)
      expect(content).toEqual({ kind: 'dynamic', destination: shortUrl })
    }
    expect(await countLinksAndClicks(caller)).toEqual({ links: 2, clicks: 0 })
  })

  test('preserves queries and fragments of the short URL and counts a scan once', async ({
    make,
    api: { create, scan, visit, details, countLinksAndClicks },
  }) => {
    const caller = await make.owner()
    const { shortUrl } = await make.link(caller, { url: TARGET })
    const data = `${shortUrl}?utm_source=poster#top`
    const { id, link } = await create({ type: 'link', data }, caller)
    const encoded = (await scan(link)) ?? ''
    expect(encoded).not.toContain(shortUrl)
    const marked = `${shortUrl}?utm_source=poster&qr#top`
    expect(await visit(encoded)).toBe(marked)
    expect(await visit(marked)).toBe(TARGET)
    expect(await countLinksAndClicks(caller)).toEqual({ links: 2, clicks: 1 })
    expect(await details(id, caller)).toMatchObject({ details: { scans: 1 }, data: { clicks: 1 } })
  })

  test("follows changes of the link's alias and destination", async ({
    app,
    make,
    api: { create, scan, visit },
  }) => {
    const caller = await make.owner()
    const { id, shortUrl } = await make.link(caller, { url: TARGET })
    const { link } = await create({ type: 'link', data: shortUrl }, caller)
    const alias = `renamed-${caller.account.id}`
    await updateLink(scopeOf(app.services, caller.account.id), id, {
      url: 'https://example.com/new',
      alias,
    })
    expect(await scan(link)).toBe(`http://brev.test/${alias}?qr`)
    expect(await visit(`http://brev.test/${alias}`)).toBe('https://example.com/new')
  })

  test('can be deleted without the link, and is deleted with the link', async ({
    app,
    make,
    request,
    api: { create, remove, visit, countLinksAndClicks, countTraces },
  }) => {
    const caller = await make.owner()
    const { id: linkId, shortUrl } = await make.link(caller, { url: TARGET })
    const first = await create({ type: 'link', data: shortUrl }, caller)
    const second = await create({ type: 'link', data: `${shortUrl}?a=b` }, caller)
    await visit(shortUrl)
    expect((await remove(first.id, caller)).statusCode).toBe(200)
    expect(await countLinksAndClicks(caller)).toEqual({ links: 2, clicks: 1 })
    expect(await visit(shortUrl)).toBe(TARGET)
    await deleteLink(scopeOf(app.services, caller.account.id), linkId)
    expect((await request({ url: new URL(second.link).pathname })).statusCode).toBe(404)
    const page = { limit: 10, offset: 0 }
    expect(await listQrCodes(scopeOf(app.services, caller.account.id), page)).toEqual({
      entries: [],
      total: 0,
    })
    await emptyTrash(app.services.db, { olderThanDays: 0 })
    expect(await countTraces(linkId)).toBe(0)
    expect(await countLinksAndClicks(caller)).toEqual({ links: 0, clicks: 0 })
  })

  test('is deleted with its account, including its link and clicks', async ({
    app,
    make,
    api: { create, countLinksAndClicks },
  }) => {
    const caller = await make.owner()
    const { shortUrl } = await make.link(caller, { url: TARGET })
    for (const data of [shortUrl, `${shortUrl}?a=b`, TARGET])
      await create({ type: 'link', data }, caller)

    await deleteOwnAccount(scopeOf(app.services, caller.account.id))
    expect(await finishDeletion({ db: app.services.db, accountId: caller.account.id })).toBe(true)
    expect(await countLinksAndClicks(caller)).toEqual({ links: 0, clicks: 0 })
  })
})

describe('a printed QR code', () => {
  test('keeps its image when it changes to a link, which then counts the scans', async ({
    app,
    make,
    api: { create, scan, update, visit, details, countLinksAndClicks },
  }) => {
    const caller = await make.owner()
    const { id: linkId, shortUrl } = await make.link(caller, { url: TARGET })
    const { id, link } = await create({ type: 'link', data: 'https://example.com/old' }, caller)
    const encoded = (await scan(link)) ?? ''
    expect(await visit(encoded)).toBe('https://example.com/old')
    expect((await update(id, { data: shortUrl }, caller)).statusCode).toBe(200)
    expect(await scan(link)).toBe(encoded)
    expect(await visit(encoded)).toBe(`${shortUrl}?qr`)
    expect(await visit(`${shortUrl}?qr`)).toBe(TARGET)
    await app.importClicks()
    expect(await details(id, caller)).toMatchObject({ details: { scans: 1 }, data: { clicks: 1 } })
    expect(await app.clicksOf(caller, linkId)).toBe(1)
    expect((await update(id, { data: 'https://example.com/newest' }, caller)).statusCode).toBe(200)
    expect(await scan(link)).toBe(encoded)
    expect(await visit(encoded)).toBe('https://example.com/newest')
    expect(await countLinksAndClicks(caller)).toEqual({ links: 2, clicks: 3 })
    expect((await details(id, caller)).data.clicks).toBe(2)
  })

  test('gets another image when it changes to another destination, and the former link stays unchanged', async ({
    make,
    api: { create, scan, update, visit },
  }) => {
    const caller = await make.owner()
    const firstLink = await make.link(caller, { url: TARGET })
    const secondLink = await make.link(caller)
    const { id, link } = await create({ type: 'link', data: firstLink.shortUrl }, caller)
    expect((await update(id, { data: secondLink.shortUrl }, caller)).statusCode).toBe(200)
    expect(await scan(link)).toBe(`${secondLink.shortUrl}?qr`)
    expect((await update(id, { data: 'https://example.com/else' }, caller)).statusCode).toBe(200)
    const encoded = (await scan(link)) ?? ''
    expect(encoded).toMatch(/^http:\/\/brev\.test\/\w{7}$/)
    expect([firstLink.shortUrl, secondLink.shortUrl]).not.toContain(encoded)
    expect(await visit(encoded)).toBe('https://example.com/else')
    expect(await visit(firstLink.shortUrl)).toBe(TARGET)
  })
})

test("a code for another account's short link has its own link, and each owner's statistics stay separate", async ({
  make,
  api: { create, scan, visit, details, countLinksAndClicks },
}) => {
  const caller = await make.owner()
  const otherOwner = await make.owner()
  const { shortUrl } = await make.link(otherOwner, { url: TARGET })
  const { id, link } = await create({ type: 'link', data: shortUrl }, caller)
  const encoded = (await scan(link)) ?? ''
  expect(encoded).not.toBe(shortUrl)
  expect(await visit(encoded)).toBe(shortUrl)
  expect(await visit(shortUrl)).toBe(TARGET)
  expect([await countLinksAndClicks(caller), await countLinksAndClicks(otherOwner)]).toEqual([
    { links: 1, clicks: 1 },
    { links: 1, clicks: 1 },
  ])
  expect((await details(id, caller)).details.scans).toBe(1)
})
