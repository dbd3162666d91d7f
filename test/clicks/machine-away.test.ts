import { describe, expect, vi } from 'vitest'
import { createSession } from '../../src/accounts/session.service.ts'
import { addLinkToCampaign } from '../../src/campaigns/campaign.service.ts'
import { addItemToChannel } from '../../src/channels/channel.service.ts'
import { emptyOwnTrash } from '../../src/links/trash.service.ts'
import { personWith } from '../support/console.ts'
import { clickServersOf } from '../support/cut-off.ts'
import { base64, callLegacyApi } from '../support/legacy-api.ts'
import type { Owner } from '../support/make.ts'
import { appTest } from '../support/test.ts'

/** The maximum number of console pages to open. */
const PAGES = 60
/**
 * The maximum number of shops to create until one has all its clicks on one server: each does with a
 * probability of 1 in 16.
 */
const SHOPS = 300
const UNAVAILABLE = 'Statistics are temporarily unavailable.'

type Kind = 'url' | 'qr' | 'channel' | 'campaign'
type Shop = Record<Kind, number> & { owner: Owner; shortUrl: string; alias: string }

/** Two shops with one click per link. The server with the clicks of the second shop is down. */
const test = appTest().extend('setup', { scope: 'file' }, async ({ app, make, request }) => {
  const { pool } = app.services.database
  const servers = clickServersOf(app)

  async function shop(): Promise<{ shop: Shop; aliases: string[]; linkIds: number[] }> {
    const owner = await make.owner()
    const link = await make.link(owner)
    const channel = await make.channel(owner)
    const campaign = await make.campaign(owner)
    await make.link(owner)
    const qr = await make.qr(owner)
    const { alias, shortUrl } = link

    for (const item of [
      { type: 'links', id: link.id },
      { type: 'qr', id: qr.id },
    ] as const) {
      await addItemToChannel(app.services.db, owner.account.id, channel.id, item)
    }
    await addLinkToCampaign(app.services.db, owner.account.id, campaign.id, link.id)
    const { rows } = await pool.query<{ id: number; alias: string }>(
      'select id, alias from links where account_id = $1',
      [owner.account.id],
    )
    const ids = { url: link.id, qr: qr.id, channel: channel.id, campaign: campaign.id }
    return {
      shop: { owner, shortUrl, alias, ...ids },
      aliases: rows.map(({ alias }) => alias),
      linkIds: rows.map(({ id }) => id),
    }
  }

  const found: { up?: Shop; down?: Shop } = {}
  for (let opened = 0; opened < SHOPS && !(found.up && found.down); opened += 1) {
    const { shop: next, aliases, linkIds } = await shop()
    const location = await servers.serverOf({ accountId: next.owner.account.id, linkIds })
    if (!location || found[location]) continue
    found[location] = next
    for (const alias of aliases) await request({ url: `/${alias}` })
  }
  const { up: here, down: away } = found
  if (!here || !away) throw new Error('No two shops were on different servers.')
  await app.importClicks()
  const { rowCount } = await pool.query('select from click_totals where clicks = 1')
  expect(rowCount).toBe(6)
  await servers.cutOff()

  const get = ({ owner: { headers } }: Shop, url: string) => request({ url, headers })
  const statusOf = async (shop: Shop, url: string) => (await get(shop, url)).statusCode
  const legacy = ({ owner }: Shop, path: string) => callLegacyApi(app, owner.key, path)
  async function signedIn({ owner }: Shop) {
    const token = await createSession(app.services, app.services.db, owner.account.id)
    return personWith(app, `brevis_session=${token}`)
  }

  /** Returns the URLs of all GET operations on the resources of a shop. */
  function readable(shop: Shop): string[] {
    return app.contract.operations
      .filter(({ method, path }) => method === 'GET' && !path.startsWith('/api/v1/'))
      .flatMap(({ path }) => {
        const id = shop[path.split('/')[2] as Kind]
        const url = id === undefined ? path : path.replace('{id}', String(id))
        return url.includes('{') ? [] : url
      })
  }

  return { here, away, get, statusOf, legacy, signedIn, readable, servers, pool }
})

describe("while a server with other accounts' clicks is down", () => {
  test('an account can read all its data', async ({ setup: { here, get, statusOf, readable } }) => {
    const urls = readable(here)
    expect(urls).toEqual(expect.arrayContaining(['/api/urls', '/api/stats', '/api/qr']))
    expect(urls).toEqual(expect.arrayContaining([`/api/url/${here.url}`, `/api/qr/${here.qr}`]))
    expect(urls).toContain(`/api/campaign/${here.campaign}/stats`)
    urls.push('/api/urls?order=click', `/api/urls?short=${encodeURIComponent(here.shortUrl)}`)
    for (const url of urls) expect([url, await statusOf(here, url)]).toEqual([url, 200])
    const { data } = (await get(here, `/api/url/${here.url}`)).json()
    expect(data).toMatchObject({ clicks: 1, uniqueClicks: 1 })
    expect(data).not.toHaveProperty('unavailable')
  })

  test('an account can read all its data through the legacy API', async ({
    setup: { here, legacy },
  }) => {
    const shortUrl = base64(here.shortUrl)
    for (const path of ['info', 'disable', 'enable'].map(
      (name) => `${name}/short_url/${shortUrl}`,
    )) {
      expect([path, (await legacy(here, `${path}.json`)).statusCode]).toEqual([path, 200])
    }
    expect((await legacy(here, 'list_active_urls.json')).statusCode).toBe(200)
  })

  test('an account can read all its data in the console', async ({ setup: { here, signedIn } }) => {
    const { open } = await signedIn(here)
    const paths = new Set(['/console', `/console/links/${here.url}`])
    for (const url of paths) {
      const { statusCode, body } = await open(url)
      expect([url, statusCode < 500]).toEqual([url, true])
      expect([url, body.includes(UNAVAILABLE)]).toEqual([url, false])
      for (const [, found = ''] of body.matchAll(/href="(\/console[^"#]*)"/g)) {
        if (paths.size < PAGES) paths.add(found.replaceAll('&amp;', '&'))
      }
    }
  })
})

describe("while the server with the account's clicks is down", () => {
  test('an account can list its links and codes with exact clicks', async ({
    setup: { away, get },
  }) => {
    for (const url of ['/api/urls', '/api/urls?order=click']) {
      const { data } = (await get(away, url)).json()
      expect(data.urls.map(({ clicks }: { clicks: number }) => clicks)).toEqual([1, 1])
    }
    const short = await get(away, `/api/urls?short=${encodeURIComponent(away.shortUrl)}`)
    expect(short.json().data).toMatchObject({ clicks: 1, urls: [{ id: away.url }] })
    const codes = await get(away, '/api/qr')
    expect(codes.json().data.qrs).toMatchObject([{ id: away.qr, scans: 1 }])
  })

  test('an account can read links and codes, with statistics marked unavailable', async ({
    setup: { away, get },
  }) => {
    for (const url of [`/api/url/${away.url}`, `/api/qr/${away.qr}`]) {
      const reply = await get(away, url)
      expect([url, reply.statusCode]).toEqual([url, 200])
      expect(reply.json().data).toEqual({
        clicks: 1,
        uniqueClicks: 0,
        topCountries: 0,
        topReferrers: 0,
        topBrowsers: 0,
        topOs: 0,
        socialCount: { facebook: 0, twitter: 0, instagram: 0 },
        unavailable: true,
      })
    }
  })

  test('statistics routes return 503', async ({ setup: { away, statusOf } }) => {
    for (const url of ['/api/stats', `/api/url/${away.url}/stats`, `/api/qr/${away.qr}/stats`]) {
      expect([url, await statusOf(away, url)]).toEqual([url, 503])
    }
  })

  test('console pages show everything but statistics', async ({ setup: { away, signedIn } }) => {
    const { open } = await signedIn(away)
    for (const [url, shown] of [
      ['/console', UNAVAILABLE],
      ['/console/links', 'Unavailable'],
      [`/console/links/${away.url}`, UNAVAILABLE],
      [`/console/links/${away.url}/edit`, ''],
      [`/console/campaigns/${away.campaign}`, UNAVAILABLE],
      [`/console/channels/${away.channel}`, UNAVAILABLE],
      [`/console/codes/${away.qr}`, UNAVAILABLE],
    ] as const) {
      const { statusCode, body } = await open(url)
      expect([url, statusCode]).toEqual([url, 200])
      expect(body).toContain(away.owner.account.username)
      expect(body).toContain(shown)
    }
    const { body } = await open(`/console/links/${away.url}`)
    expect(body).toContain(away.alias)
    expect(body).toContain('All time: 1 click')
  })

  test('an account can change, disable and enable a link, and visitors are redirected', async ({
    request,
    setup: { away, legacy, signedIn },
  }) => {
    const { headers } = away.owner
    const changed = await request({
      method: 'PUT',
      url: `/api/url/${away.url}/update`,
      headers,
      payload: { url: 'https://example.com/new', tags: ['new'] },
    })
    expect([changed.statusCode, changed.json().short]).toEqual([200, away.shortUrl])
    const shortUrl = base64(away.shortUrl)
    const disabled = await legacy(away, `disable/short_url/${shortUrl}.json`)
    expect(disabled.json().data).toMatchObject({ status: 'disabled' })
    expect((await request({ url: `/${away.alias}` })).statusCode).toBe(410)
    const { send } = await signedIn(away)
    expect((await send(`/console/links/${away.url}/enable`)).statusCode).toBe(303)
    const visit = await request({ url: `/${away.alias}` })
    expect([visit.statusCode, visit.headers.location]).toEqual([302, 'https://example.com/new'])
    expect((await legacy(away, `info/short_url/${shortUrl}.json`)).json().data).toMatchObject({
      total_visits: 1,
      status: 'active',
    })
  })

  test('an account can delete links and codes, and their clicks are deleted later', async ({
    app,
    request,
    setup: { here, away, get, servers, pool },
  }) => {
    const { headers } = away.owner
    const rowsOf = async (table: string, id: number) =>
      (await pool.query(`select from ${table} where link_id = $1`, [id])).rowCount
    const [{ rows }, { data }] = [
      await pool.query<{ id: number }>(
        `select id from links where account_id = $1 and kind = 'link' and id <> $2`,
        [away.owner.account.id, away.url],
      ),
      (await get(away, '/api/urls')).json(),
    ]
    const deleted = rows[0]?.id ?? 0
    expect(data.result).toBe(2)
    for (const url of [`/api/url/${deleted}/delete`, `/api/qr/${away.qr}/delete`]) {
      const reply = await request({ method: 'DELETE', url, headers })
      expect([url, reply.statusCode, reply.json().error]).toEqual([url, 200, 0])
    }
    expect((await get(away, `/api/url/${deleted}`)).statusCode).toBe(404)
    expect((await get(away, '/api/urls')).json().data.result).toBe(1)
    await emptyOwnTrash(app.services, app.services.db, away.owner.account.id)
    expect(await rowsOf('removed_links', deleted)).toBe(1)
    expect(await rowsOf('click_totals', deleted)).toBe(0)

    await servers.restore()
    const { links } = (await get(away, '/api/stats')).json().data
    expect(links).toMatchObject([{ id: away.url }])
    // Broken connections are detected at their first use.
    await vi.waitFor(app.importClicks, { timeout: 10_000 })
    expect((await pool.query('select from removed_links')).rowCount).toBe(0)
    for (const table of ['click_days', 'click_details', 'clicks']) {
      expect([table, await rowsOf(table, deleted)]).toEqual([table, 0])
    }
    // The visit above was kept in the journal.
    expect((await get(away, `/api/url/${away.url}`)).json().data.clicks).toBe(2)
    expect((await get(here, `/api/url/${here.url}`)).json().data.clicks).toBe(1)
  })
})

test('creates, lists and redirects links and codes without any click tables', async ({
  request,
  setup: { away, servers, legacy },
}) => {
  await servers.cutOff()
  await servers.cutOffAll()
  const { headers } = away.owner
  const post = async (url: string, payload: object) =>
    (await request({ method: 'POST', url, headers, payload })).json()
  const url = 'https://example.com/made'
  const created = await post('/api/url/add', { url, custom: 'made-now', tags: ['new'] })
  expect(created).toMatchObject({ error: 0 })
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
  expect((await legacy(away, `create/url/${base64(url)}.json`)).statusCode).toBe(200)
  for (const alias of ['made-now', away.alias]) {
    expect((await request({ url: `/${alias}` })).statusCode).toBe(302)
  }
  const deleted = await request({
    method: 'DELETE',
    url: `/api/url/${created.id}/delete`,
    headers,
  })
  expect(deleted.statusCode).toBe(200)
})
