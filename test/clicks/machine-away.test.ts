import { describe, expect, vi } from 'vitest'
import { createSession } from '../../src/identity/session.service.ts'
import { emptyOwnTrash } from '../../src/links/trash.service.ts'
import { addLinkToCampaign } from '../../src/resources/campaign-links.ts'
import { addItemToChannel } from '../../src/resources/channel-items.ts'
import { scopeOf } from '../../src/scope.ts'
import { openSession } from '../support/console.ts'
import { clickServersOf } from '../support/cut-off.ts'
import { base64, callLegacyApi } from '../support/legacy-api.ts'
import type { Owner } from '../support/make.ts'
import { appTest } from '../support/test.ts'

/** The maximum number of console pages to open. */
const MAX_PAGES = 60
/**
 * The maximum number of accounts to create until both servers have one with all its clicks. Each
 * account has all its clicks on one server with a probability of 1 in 16.
 */
const MAX_ACCOUNTS = 300
const UNAVAILABLE = 'Statistics are temporarily unavailable.'

type Kind = 'url' | 'qr' | 'channel' | 'campaign'
type TestAccount = Record<Kind, number> & { owner: Owner; shortUrl: string; alias: string }

/**
 * A `test` with the accounts `up` and `down`, which have one click per link. The server with the
 * clicks of `down` cannot be reached.
 */
const test = appTest().extend('accounts', { scope: 'file' }, async ({ app, make, request }) => {
  const { pool } = app.services.database
  const servers = clickServersOf(app)

  async function createAccount(): Promise<{
    account: TestAccount
    aliases: string[]
    linkIds: number[]
  }> {
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
      await addItemToChannel({ ...app.services, accountId: owner.account.id }, channel.id, item)
    }
    await addLinkToCampaign({ ...app.services, accountId: owner.account.id }, campaign.id, link.id)
    const { rows } = await pool.query<{ id: number; alias: string }>(
      'select id, alias from links where account_id = $1',
      [owner.account.id],
    )
    const ids = { url: link.id, qr: qr.id, channel: channel.id, campaign: campaign.id }
    return {
      account: { owner, shortUrl, alias, ...ids },
      aliases: rows.map(({ alias }) => alias),
      linkIds: rows.map(({ id }) => id),
    }
  }

  const accounts: { up?: TestAccount; down?: TestAccount } = {}
  for (let opened = 0; opened < MAX_ACCOUNTS && !(accounts.up && accounts.down); opened += 1) {
    const { account, aliases, linkIds } = await createAccount()
    const location = await servers.serverOf({ accountId: account.owner.account.id, linkIds })
    if (!location || accounts[location]) continue
    accounts[location] = account
    for (const alias of aliases) await request({ url: `/${alias}` })
  }
  const { up, down } = accounts
  if (!up || !down) throw new Error('No two accounts were on different servers.')
  await app.importClicks()
  const { rowCount } = await pool.query('select from click_totals where clicks = 1')
  expect(rowCount).toBe(6)
  await servers.cutOff()

  const get = ({ owner: { headers } }: TestAccount, url: string) => request({ url, headers })
  const getStatus = async (account: TestAccount, url: string) =>
    (await get(account, url)).statusCode
  const callLegacy = ({ owner }: TestAccount, path: string) => callLegacyApi(app, owner.key, path)
  async function signIn({ owner }: TestAccount) {
    const token = await createSession(scopeOf(app.services, owner.account.id))
    return openSession(app, `brevis_session=${token}`)
  }

  /** Returns the URLs of the GET operations of the JSON API on an account and its resources. */
  function listUrls(account: TestAccount): string[] {
    return app.contract.operations
      .filter(({ method, path }) => method === 'GET' && !path.startsWith('/api/v1/'))
      .flatMap(({ path }) => {
        const id = account[path.split('/')[2] as Kind]
        const url = id === undefined ? path : path.replace('{id}', String(id))
        return url.includes('{') ? [] : url
      })
  }

  return { up, down, get, getStatus, callLegacy, signIn, listUrls, servers, pool }
})

describe("while a server with other accounts' clicks is down", () => {
  test('an account can read all its data', async ({
    accounts: { up, get, getStatus, listUrls },
  }) => {
    const urls = listUrls(up)
    expect(urls).toEqual(expect.arrayContaining(['/api/urls', '/api/stats', '/api/qr']))
    expect(urls).toEqual(expect.arrayContaining([`/api/url/${up.url}`, `/api/qr/${up.qr}`]))
    expect(urls).toContain(`/api/campaign/${up.campaign}/stats`)
    urls.push('/api/urls?order=click', `/api/urls?short=${encodeURIComponent(up.shortUrl)}`)
    for (const url of urls) expect([url, await getStatus(up, url)]).toEqual([url, 200])
    const { data } = (await get(up, `/api/url/${up.url}`)).json()
    expect(data).toMatchObject({ clicks: 1, uniqueClicks: 1 })
    expect(data).not.toHaveProperty('unavailable')
  })

  test('an account can read all its data through the legacy API', async ({
    accounts: { up, callLegacy },
  }) => {
    const shortUrl = base64(up.shortUrl)
    for (const path of ['info', 'disable', 'enable'].map(
      (name) => `${name}/short_url/${shortUrl}`,
    )) {
      expect([path, (await callLegacy(up, `${path}.json`)).statusCode]).toEqual([path, 200])
    }
    expect((await callLegacy(up, 'list_active_urls.json')).statusCode).toBe(200)
  })

  test('an account can read all its data in the console', async ({ accounts: { up, signIn } }) => {
    const { open } = await signIn(up)
    const paths = new Set(['/console', `/console/links/${up.url}`])
    for (const url of paths) {
      const { statusCode, body } = await open(url)
      expect([url, statusCode < 500]).toEqual([url, true])
      expect([url, body.includes(UNAVAILABLE)]).toEqual([url, false])
      for (const [, path = ''] of body.matchAll(/href="(\/console[^"#]*)"/g)) {
        if (paths.size < MAX_PAGES) paths.add(path.replaceAll('&amp;', '&'))
      }
    }
  })
})

describe("while the server with the account's clicks is down", () => {
  test('an account can list its links and codes with their exact numbers of clicks', async ({
    accounts: { down, get },
  }) => {
    for (const url of ['/api/urls', '/api/urls?order=click']) {
      const { data } = (await get(down, url)).json()
      expect(data.urls.map(({ clicks }: { clicks: number }) => clicks)).toEqual([1, 1])
    }
    const short = await get(down, `/api/urls?short=${encodeURIComponent(down.shortUrl)}`)
    expect(short.json().data).toMatchObject({ clicks: 1, urls: [{ id: down.url }] })
    const codes = await get(down, '/api/qr')
    expect(codes.json().data.qrs).toMatchObject([{ id: down.qr, scans: 1 }])
  })

  test('an account can read links and codes, with statistics marked unavailable', async ({
    accounts: { down, get },
  }) => {
    for (const url of [`/api/url/${down.url}`, `/api/qr/${down.qr}`]) {
      const reply = await get(down, url)
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

  test('statistics endpoints return 503', async ({ accounts: { down, getStatus } }) => {
    for (const url of ['/api/stats', `/api/url/${down.url}/stats`, `/api/qr/${down.qr}/stats`]) {
      expect([url, await getStatus(down, url)]).toEqual([url, 503])
    }
  })

  test('console pages show that statistics are unavailable, and everything else', async ({
    accounts: { down, signIn },
  }) => {
    const { open } = await signIn(down)
    for (const [url, expectedText] of [
      ['/console', UNAVAILABLE],
      ['/console/links', 'Unavailable'],
      [`/console/links/${down.url}`, UNAVAILABLE],
      [`/console/links/${down.url}/edit`, ''],
      [`/console/campaigns/${down.campaign}`, UNAVAILABLE],
      [`/console/channels/${down.channel}`, UNAVAILABLE],
      [`/console/codes/${down.qr}`, UNAVAILABLE],
    ] as const) {
      const { statusCode, body } = await open(url)
      expect([url, statusCode]).toEqual([url, 200])
      expect(body).toContain(down.owner.account.username)
      expect(body).toContain(expectedText)
    }
    const { body } = await open(`/console/links/${down.url}`)
    expect(body).toContain(down.alias)
    expect(body).toContain('All time: 1 click')
  })

  test('an account can change, disable and enable a link, and visitors are redirected', async ({
    request,
    accounts: { down, callLegacy, signIn },
  }) => {
    const { headers } = down.owner
    const changed = await request({
      method: 'PUT',
      url: `/api/url/${down.url}/update`,
      headers,
      payload: { url: 'https://example.com/new', tags: ['new'] },
    })
    expect([changed.statusCode, changed.json().short]).toEqual([200, down.shortUrl])
    const shortUrl = base64(down.shortUrl)
    const disabled = await callLegacy(down, `disable/short_url/${shortUrl}.json`)
    expect(disabled.json().data).toMatchObject({ status: 'disabled' })
    expect((await request({ url: `/${down.alias}` })).statusCode).toBe(410)
    const { send } = await signIn(down)
    expect((await send(`/console/links/${down.url}/enable`)).statusCode).toBe(303)
    const visit = await request({ url: `/${down.alias}` })
    expect([visit.statusCode, visit.headers.location]).toEqual([302, 'https://example.com/new'])
    expect((await callLegacy(down, `info/short_url/${shortUrl}.json`)).json().data).toMatchObject({
      total_visits: 1,
      status: 'active',
    })
  })

  test('an account can delete links and codes, and their clicks are deleted later', async ({
    app,
    request,
    accounts: { up, down, get, servers, pool },
  }) => {
    const { headers } = down.owner
    const countRows = async (table: string, id: number) =>
      (await pool.query(`select from ${table} where link_id = $1`, [id])).rowCount
    const { data } = (await get(down, '/api/urls')).json()
    expect(data.result).toBe(2)
    const deleted = data.urls.find(({ id }: { id: number }) => id !== down.url).id
    for (const url of [`/api/url/${deleted}/delete`, `/api/qr/${down.qr}/delete`]) {
      const reply = await request({ method: 'DELETE', url, headers })
      expect([url, reply.statusCode, reply.json().error]).toEqual([url, 200, 0])
    }
    expect((await get(down, `/api/url/${deleted}`)).statusCode).toBe(404)
    expect((await get(down, '/api/urls')).json().data.result).toBe(1)
    await emptyOwnTrash(scopeOf(app.services, down.owner.account.id))
    expect(await countRows('removed_links', deleted)).toBe(1)
    expect(await countRows('click_totals', deleted)).toBe(0)

    await servers.restore()
    const { links } = (await get(down, '/api/stats')).json().data
    expect(links).toMatchObject([{ id: down.url }])
    // Broken connections are detected at their first use.
    await vi.waitFor(app.importClicks, { timeout: 60_000 })
    expect((await pool.query('select from removed_links')).rowCount).toBe(0)
    for (const table of ['click_days', 'click_details', 'clicks']) {
      expect([table, await countRows(table, deleted)]).toEqual([table, 0])
    }
    // The journal kept the visit from the test above.
    expect((await get(down, `/api/url/${down.url}`)).json().data.clicks).toBe(2)
    expect((await get(up, `/api/url/${up.url}`)).json().data.clicks).toBe(1)
  })
})

test('links can be created, visited and deleted while no table of clicks can be accessed', async ({
  request,
  accounts: { down, servers, callLegacy },
}) => {
  await servers.cutOff()
  await servers.cutOffAll()
  const { headers } = down.owner
  const post = async (url: string, payload: object) =>
    (await request({ method: 'POST', url, headers, payload })).json()
  const url = 'https://example.com/new'
  const created = await post('/api/url/add', { url, custom: 'new-alias', tags: ['new'] })
  expect(created).toMatchObject({ error: 0 })
  const again = await request({
    method: 'POST',
    url: '/api/url/add',
    headers: { ...headers, 'idempotency-key': 'once' },
    payload: { url },
  })
  expect(again.json()).toMatchObject({ error: 0 })
  const batch = await post('/api/urls/add', { urls: [{ url }, { url, type: 'frame' }] })
  expect(JSON.stringify(batch)).not.toMatch(/"error":[1-9]/)
  expect(await post('/api/qr/add', { type: 'link', data: url })).toMatchObject({ error: 0 })
  expect(await post('/api/channel/add', { name: 'Autumn' })).toMatchObject({ error: 0 })
  expect((await callLegacy(down, `create/url/${base64(url)}.json`)).statusCode).toBe(200)
  for (const alias of ['new-alias', down.alias]) {
    expect((await request({ url: `/${alias}` })).statusCode).toBe(302)
  }
  const deletion = { method: 'DELETE', url: `/api/url/${created.id}/delete`, headers } as const
  expect((await request(deletion)).statusCode).toBe(200)
})
