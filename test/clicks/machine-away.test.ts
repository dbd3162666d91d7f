import { describe, expect } from 'vitest'
import { ACCOUNT_TABLES, SPREAD_TABLES } from '../../src/clicks/maintenance/distribute.queries.ts'
import { personWith } from '../support/console.ts'
import { base64, callLegacyApi } from '../support/legacy-api.ts'
import type { Owner } from '../support/make.ts'
import { appTest } from '../support/test.ts'

/** Pages of the console that are opened at most. */
const PAGES = 60

type Kind = 'url' | 'qr' | 'channel' | 'campaign'
type Shop = Record<Kind, number> & { owner: Owner; shortUrl: string; alias: string }

/**
 * Two shops. The tables of clicks are views that fail, as a cluster does, as soon as a statement
 * touches a row of the second one: its machine is away.
 */
const test = appTest().extend('given', { scope: 'file' }, async ({ app, make, request }) => {
  const { pool } = app.services.database

  async function shop(): Promise<Shop> {
    const owner = await make.owner()
    const [link, channel, campaign] = [
      await make.link(owner),
      await make.channel(owner),
      await make.campaign(owner),
    ]
    await make.link(owner)
    const qr = await make.qr(owner)
    const { alias, shortUrl } = link
    const { channels, campaigns } = app.services
    for (const item of [
      { type: 'links', id: link.id },
      { type: 'qr', id: qr.id },
    ] as const) {
      await channels.assign(owner.account.id, channel.id, item)
    }
    await campaigns.assign(owner.account.id, campaign.id, link.id)
    const { rows } = await pool.query<{ alias: string }>(
      'select alias from links where account_id = $1',
      [owner.account.id],
    )
    for (const { alias } of rows) await request({ url: `/${alias}` })
    const ids = { url: link.id, qr: qr.id, channel: channel.id, campaign: campaign.id }
    return { owner, shortUrl, alias, ...ids }
  }

  const [here, away] = [await shop(), await shop()]
  await app.importClicks()
  const { rowCount } = await pool.query('select from click_totals where clicks = 1')
  expect(rowCount).toBe(6)

  await pool.query(
    `create function is_here(link bigint, account bigint) returns boolean language plpgsql as $$
     begin
       if account = ${away.owner.account.id} or exists
         (select from links where id = link and account_id = ${away.owner.account.id}) then
         raise exception 'connection to the remote node failed' using errcode = '08006';
       end if;
       return true;
     end $$`,
  )
  const tables = [
    ...SPREAD_TABLES.map((table) => ({ table, check: 'is_here(link_id, null)' })),
    ...ACCOUNT_TABLES.map((table) => ({ table, check: 'is_here(null, account_id)' })),
  ]
  for (const { table, check } of tables) {
    await pool.query(`alter table ${table} rename to all_${table}`)
    await pool.query(`create view ${table} as select * from all_${table} where ${check}`)
  }

  const ask = async ({ owner: { headers } }: Shop, url: string) =>
    (await request({ url, headers })).statusCode
  const legacy = async ({ owner }: Shop, path: string) =>
    (await callLegacyApi(app, owner.key, path)).statusCode
  async function signedIn({ owner }: Shop) {
    const token = await app.services.sessions.begin(owner.account.id)
    return personWith(app, `brevis_session=${token}`)
  }

  /** What the API's description says can be read of what a shop has. */
  function readable(shop: Shop): string[] {
    return app.contract.operations
      .filter(({ method, path }) => method === 'GET' && !path.startsWith('/api/v1/'))
      .flatMap(({ path }) => {
        const id = shop[path.split('/')[2] as Kind]
        const url = id === undefined ? path : path.replace('{id}', String(id))
        return url.includes('{') ? [] : url
      })
  }

  return { here, away, ask, legacy, signedIn, readable, tables, pool }
})

describe('while the machine with the clicks of others is away', () => {
  test('an account reads all that it has', async ({ given: { here, ask, readable } }) => {
    const urls = readable(here)
    expect(urls).toEqual(expect.arrayContaining(['/api/urls', '/api/stats', '/api/qr']))
    expect(urls).toEqual(expect.arrayContaining([`/api/url/${here.url}`, `/api/qr/${here.qr}`]))
    expect(urls).toContain(`/api/campaign/${here.campaign}/stats`)
    urls.push('/api/urls?order=click', `/api/urls?short=${encodeURIComponent(here.shortUrl)}`)
    for (const url of urls) expect([url, await ask(here, url)]).toEqual([url, 200])
  })

  test('so it does by the legacy API', async ({ given: { here, legacy } }) => {
    const shortUrl = base64(here.shortUrl)
    for (const path of ['info', 'disable', 'enable'].map(
      (name) => `${name}/short_url/${shortUrl}`,
    )) {
      expect([path, await legacy(here, `${path}.json`)]).toEqual([path, 200])
    }
    expect(await legacy(here, 'list_active_urls.json')).toBe(200)
  })

  test('so it does in the console, wherever its pages lead', async ({
    given: { here, signedIn },
  }) => {
    const { open } = await signedIn(here)
    const seen = new Set(['/console', `/console/links/${here.url}`])
    for (const url of seen) {
      const { statusCode, body } = await open(url)
      expect([url, statusCode < 500]).toEqual([url, true])
      for (const [, found = ''] of body.matchAll(/href="(\/console[^"#]*)"/g)) {
        if (seen.size < PAGES) seen.add(found.replaceAll('&amp;', '&'))
      }
    }
  })

  test('it changes and deletes what it has', async ({ make, request, given: { here } }) => {
    const { headers } = here.owner
    const { id } = await make.link(here.owner)
    const payload = { url: 'https://example.com/new' }
    const changed = await request({
      method: 'PUT',
      url: `/api/url/${id}/update`,
      headers,
      payload,
    })
    expect(changed.statusCode).toBe(200)
    const deleted = await request({ method: 'DELETE', url: `/api/url/${id}/delete`, headers })
    expect(deleted.statusCode).toBe(200)
  })

  test('those others are told to come back, and their visitors are led on', async ({
    request,
    given: { away, ask },
  }) => {
    for (const url of ['/api/urls', '/api/urls?order=click', `/api/url/${away.url}`, '/api/qr']) {
      expect([url, await ask(away, url)]).toEqual([url, 503])
    }
    expect((await request({ url: `/${away.alias}` })).statusCode).toBe(302)
  })
})

test('with no table of clicks at all, anybody makes links, codes and lists, and visitors are led on', async ({
  request,
  given: { away, tables, pool, legacy },
}) => {
  for (const { table } of tables) await pool.query(`drop view ${table}`)
  const { headers } = away.owner
  const post = async (url: string, payload: object) =>
    (await request({ method: 'POST', url, headers, payload })).json()
  const url = 'https://example.com/made'
  const made = await post('/api/url/add', { url, custom: 'made-now', tags: ['new'] })
  expect(made).toMatchObject({ error: 0 })
  const again = await request({
    method: 'POST',
    url: '/api/url/add',
    headers: { ...headers, 'idempotency-key': 'made-once' },
    payload: { url },
  })
  expect(again.json()).toMatchObject({ error: 0 })
  const batch = await post('/api/urls/add', { urls: [{ url }, { url, type: 'frame' }] })
  expect(JSON.stringify(batch)).not.toMatch(/"error":[1-9]/)
  expect(await post('/api/qr/add', { type: 'link', data: url })).toMatchObject({ error: 0 })
  expect(await post('/api/channel/add', { name: 'Autumn' })).toMatchObject({ error: 0 })
  expect(await legacy(away, `create/url/${base64(url)}.json`)).toBe(200)
  for (const alias of ['made-now', away.alias]) {
    expect((await request({ url: `/${alias}` })).statusCode).toBe(302)
  }
})
