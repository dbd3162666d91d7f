import { describe, expect } from 'vitest'
import { trimImports } from '../../src/transfer/progress.queries.ts'
import { apiClient } from '../support/api-client.ts'
import type { TestApp } from '../support/app.ts'
import { signIn } from '../support/console.ts'
import type { Owner } from '../support/make.ts'
import { readBytes } from '../support/storage.ts'
import { appTest } from '../support/test.ts'
import { createFile, createTransferCommands, jsonl } from '../support/transfer.ts'

const test = appTest({ env: { STORAGE_MB_PER_ACCOUNT: '1' } }).extend(
  'api',
  { scope: 'file' },
  ({ app, owner }) => apiClient({ app, owner }),
)

/** Returns the bytes of a link's versions, and those of its row in the trash. */
async function readVersions(app: TestApp, link: number): Promise<number> {
  const { rows } = await app.services.database.pool.query(
    `select coalesce((select sum(100 + bytes) from link_versions where link_id = $1), 0)::int
       + coalesce((select 100 + octet_length(parts::text) from deleted_links where link_id = $1), 0) as bytes`,
    [link],
  )
  return rows[0]?.bytes
}

/** Creates a link in a campaign, in a channel and with a pixel, all through the API. */
async function createMemberships(api: ReturnType<typeof apiClient>, caller: Owner) {
  const add = async (path: string, payload: object) =>
    (await api('POST', `/api/${path}/add`, payload, caller)).json().id
  const { id: link, shorturl: alias } = (
    await api('POST', '/api/url/add', { url: 'https://example.com/' }, caller)
  ).json()
  const campaign = await add('campaign', { name: 'x' })
  const channel = await add('channel', { name: 'x' })
  const pixel = await add('pixel', { type: 'vendor01pixel', name: 'x', tag: 'AB-1' })
  const paths = [`campaign/${campaign}/assign/${link}`, `channel/${channel}/assign/links/${link}`]
  const assign = async () => {
    const codes = []
    for (const path of paths) {
      codes.push((await api('POST', `/api/${path}`, undefined, caller)).statusCode)
    }
    return codes
  }
  const setPixels = (pixels: number[]) =>
    api('PUT', `/api/url/${link}/update`, { url: 'https://example.com/', pixels }, caller)
  return { link, alias, campaign, channel, pixel, assign, setPixels }
}

describe('links in campaigns, in channels and with pixels', () => {
  test('count, and no longer count once either side is deleted', async ({ app, make, api }) => {
    const caller = await make.owner()
    const first = await createMemberships(api, caller)
    const empty = await readBytes(app, caller)
    expect(await first.assign()).toEqual([200, 200])
    expect(await readBytes(app, caller)).toBe(empty + 200 + 200)
    // Adding again adds nothing.
    expect(await first.assign()).toEqual([200, 200])
    expect(await readBytes(app, caller)).toBe(empty + 200 + 200)
    const remove = (path: string) => api('DELETE', `/api/${path}/delete`, undefined, caller)
    const before = await readBytes(app, caller)
    await remove(`campaign/${first.campaign}`)
    expect(await readBytes(app, caller)).toBe(before - 200 - 301)
    await remove(`channel/${first.channel}`)
    expect(await readBytes(app, caller)).toBe(before - 2 * (200 + 301))

    const versions = await readVersions(app, first.link)
    const reply = await first.setPixels([first.pixel])
    expect(reply.statusCode).toBe(200)
    const added = (await readVersions(app, first.link)) - versions
    expect(await readBytes(app, caller)).toBe(before - 2 * (200 + 301) + added + 150)
    await remove(`pixel/${first.pixel}`)
    expect(await readBytes(app, caller)).toBe(before - 2 * (200 + 301) + added - 205)
  })

  test('and those of links in the trash count until it is emptied', async ({ app, make, api }) => {
    const caller = await make.owner()
    const { link, assign, setPixels, pixel } = await createMemberships(api, caller)
    await assign()
    await setPixels([pixel])
    const { pool } = app.services.database
    const [before, versions] = [await readBytes(app, caller), await readVersions(app, link)]
    await api('DELETE', `/api/url/${link}/delete`, undefined, caller)
    const added = (await readVersions(app, link)) - versions
    expect(await readBytes(app, caller)).toBe(before - 400 + added)
    const person = await signIn(app, caller.account.email)
    expect(
      (await person.send('/console/links/trash/change', { action: 'restore', id: String(link) }))
        .statusCode,
    ).toBe(303)
    const restored = (await readVersions(app, link)) - versions
    expect(await readBytes(app, caller)).toBe(before + restored)
    await pool.query('delete from links where id = $1', [link])
    expect(await readBytes(app, caller)).toBe(301 + 301 + 205)
  })

  test('cannot be added to a full account', async ({ app, make, api }) => {
    const caller = await make.owner()
    const { link, campaign, channel, assign } = await createMemberships(api, caller)
    const ids = [link, (await make.link(caller)).id].map(String)
    const person = await signIn(app, caller.account.email)
    await app.services.database.pool.query(
      `insert into row_counts (owner_id, kind, slot, rows) values ($1, 'bytes', 999, 1048576)`,
      [caller.account.id],
    )
    expect(await assign()).toEqual([403, 403])
    for (const [path, fields] of [
      [`/console/campaigns/${campaign}/links`, { id: String(link) }],
      [`/console/channels/${channel}/links`, { id: String(link) }],
      [`/console/links/${link}/share`, {}],
      [`/console/campaigns/${campaign}/share`, {}],
      ['/console/links/change', { action: 'campaign', campaign: String(campaign), id: ids }],
      ['/console/links/change', { action: 'archive', id: ids }],
      ['/console/links/change', { action: 'enable', id: ids }],
    ] as const) {
      const rejected = await person.send(path, fields as never)
      expect([path, fields, rejected.statusCode]).toEqual([path, fields, 403])
    }
    const { rows } = await app.services.database.pool.query(
      `select (select count(*)::int from campaign_links where campaign_id = $1) as campaign,
         (select count(*)::int from channel_items where channel_id = $2) as channel,
         (select count(*)::int from shared_statistics where account_id = $3) as shared`,
      [campaign, channel, caller.account.id],
    )
    expect(rows).toEqual([{ campaign: 0, channel: 0, shared: 0 }])
  })
})

test('imported clicks by day and the problems of imports count', async ({ app, make }) => {
  const caller = await make.owner()
  const transfer = createTransferCommands(app, caller)
  const days = Array.from({ length: 1000 }, (_, index) => ({
    day: new Date(Date.UTC(2020, 0, 1 + index)).toISOString().slice(0, 10),
    clicks: 2,
    countries: { Germany: 1, France: 1 },
  }))
  const long = { alias: 'long-history', url: 'https://example.com/', days }
  const file = await createFile(jsonl(long, { alias: 'broken', url: 'ftp://example.com/' }))
  const report = await transfer.import(file, 'jsonl')
  expect(report).toMatchObject({ created: 1, refused: 1, clicks: 2000 })
  const { pool } = app.services.database
  const { rows } = await pool.query(
    `select sum(octet_length(hours) + octet_length(labels))::int as bytes from click_days
     join links on links.id = link_id where links.account_id = $1`,
    [caller.account.id],
  )
  const bytes = await readBytes(app, caller)
  expect(bytes).toBeGreaterThan(rows[0]?.bytes)
  expect(bytes).toBeGreaterThan(150_000)
  const person = await signIn(app, caller.account.email)
  const { rows: links } = await pool.query('select id from links where account_id = $1', [
    caller.account.id,
  ])
  const deleted = await person.send(`/console/links/${links[0]?.id}/delete`)
  expect(deleted.statusCode).toBe(303)
  expect(await readBytes(app, caller)).toBeGreaterThan(150_000)
  await pool.query('delete from links where account_id = $1', [caller.account.id])
  const rest = await readBytes(app, caller)
  expect(rest).toBeGreaterThan(100)
  expect(rest).toBeLessThan(1000)
  await trimImports({ db: app.services.db, accountId: caller.account.id }, 0)
  await pool.query('delete from undo_actions where account_id = $1', [caller.account.id])
  expect(await readBytes(app, caller)).toBe(0)
})
