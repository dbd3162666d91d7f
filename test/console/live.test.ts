import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { createInterface } from 'node:readline'
import { expect, onTestFinished } from 'vitest'
import { type TestApp, testApp } from '../support/app.ts'
import { signIn } from '../support/console.ts'
import { signInMember } from '../support/members.ts'
import { appTest } from '../support/test.ts'

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0'

const test = appTest({ heartbeatMs: 200 })
  .extend('signedIn', async ({ app, make }) => {
    const owner = await make.owner()
    const { cookie, send } = await signIn(app, owner.account.email)
    return { owner, cookie, send }
  })
  .extend('visit', { scope: 'file' }, ({ app }) => async (alias: string, from = 1) => {
    await app.request({
      url: `/${alias}`,
      remoteAddress: `198.51.100.${from}`,
      headers: { 'user-agent': FIREFOX },
    })
  })

test('a feed sends the statistics immediately and after each click', async ({
  app,
  make,
  signedIn: { owner, cookie },
  visit,
}) => {
  const link = await make.link(owner)
  const other = await make.link(owner)
  await visit(link.alias)
  await app.importClicks()
  const feed = await openFeed(app, `/console/links/${link.id}/live`, cookie)
  expect([feed.status, feed.headers['content-type'], feed.headers['cache-control']]).toEqual([
    200,
    'text/event-stream; charset=utf-8',
    'no-store',
  ])
  expect(await feed.next()).toEqual({ id: '1', data: { clicks: 1, visitors: 1 } })
  await visit(other.alias, 2)
  await visit(link.alias, 2)
  await visit(link.alias, 2)
  await app.importClicks()
  expect(await feed.next()).toEqual({ id: '3', data: { clicks: 3, visitors: 2 } })
  // Visitors count as current for five minutes.
  app.clock.advance(301)
  expect(await feed.next()).toEqual({ id: '3', data: { clicks: 3, visitors: 0 } })
  await visit(link.alias, 3)
  await app.importClicks()
  expect(await feed.next()).toEqual({ id: '4', data: { clicks: 4, visitors: 1 } })
})

test('feeds of accounts, campaigns, channels and codes include only their own clicks', async ({
  app,
  make,
  request,
  signedIn: { owner, cookie },
  visit,
}) => {
  const link = await make.link(owner)
  const other = await make.link(owner)
  const campaign = await make.campaign(owner)
  const channel = await make.channel(owner)
  const code = await make.qr(owner)
  const { headers } = owner
  for (const url of [
    `/api/campaign/${campaign.id}/assign/${link.id}`,
    `/api/channel/${channel.id}/assign/links/${link.id}`,
  ]) {
    expect((await request({ method: 'POST', url, headers })).statusCode).toBe(200)
  }
  const feeds = await Promise.all(
    ['analytics', `campaigns/${campaign.id}`, `channels/${channel.id}`, `codes/${code.id}`].map(
      (page) => openFeed(app, `/console/${page}/live`, cookie),
    ),
  )
  const readNext = () => Promise.all(feeds.map(async (feed) => (await feed.next())?.data))
  expect(await readNext()).toEqual(Array(4).fill({ clicks: 0, visitors: 0 }))
  await visit(link.alias)
  await visit(other.alias, 2)
  await visit(await findAliasOfCode(app, code.id), 3)
  await app.importClicks()
  expect(await readNext()).toEqual([
    { clicks: 3, visitors: 3 },
    ...Array(3).fill({ clicks: 1, visitors: 1 }),
  ])
})

test('a reconnecting browser detects missed clicks by the event id', async ({
  app,
  make,
  signedIn: { owner, cookie },
  visit,
}) => {
  const link = await make.link(owner)
  const path = `/console/links/${link.id}/live`
  const feed = await openFeed(app, path, cookie)
  expect(await feed.next()).toMatchObject({ id: '0' })
  feed.close()
  await visit(link.alias)
  await app.importClicks()
  const reconnected = await openFeed(app, path, cookie, { 'last-event-id': '0' })
  expect(await reconnected.next()).toEqual({ id: '1', data: { clicks: 1, visitors: 1 } })
})

test('a feed requires a session and a link of the account', async ({
  app,
  make,
  signedIn: { owner, cookie },
}) => {
  const link = await make.link(owner)
  const foreign = await make.link(await make.owner())
  const path = `/console/links/${link.id}/live`
  expect((await openFeed(app, path, '')).status).toBe(303)
  expect((await openFeed(app, `/console/links/${foreign.id}/live`, cookie)).status).toBe(404)
  expect((await openFeed(app, '/console/links/x/live', cookie)).status).toBe(404)
})

test('limits each account to twenty open feeds', async ({ app, signedIn: { cookie }, make }) => {
  const path = '/console/analytics/live'
  const feeds = await Promise.all(Array.from({ length: 20 }, () => openFeed(app, path, cookie)))
  for (const feed of feeds) expect(await feed.next()).toBeDefined()
  const rejected = await openFeed(app, path, cookie)
  expect([rejected.status, rejected.headers['retry-after']]).toEqual([503, '60'])
  const otherOwner = await signIn(app, (await make.owner()).account.email)
  expect((await openFeed(app, path, otherOwner.cookie)).status).toBe(200)
  feeds[0]?.close()
  await expect.poll(async () => (await openFeed(app, path, cookie)).status).toBe(200)
})

test('closed pages do not count as open feeds', async ({ app, signedIn: { cookie } }) => {
  const path = '/console/analytics/live'
  await app.listen()
  const { host } = new URL(app.baseUrl)
  // More than the limit of twenty. Each page closes after another few milliseconds.
  for (let attempt = 0; attempt < 60; attempt += 1) {
    const headers = { host, accept: 'text/event-stream', cookie }
    const options = { port: app.port(), host: '127.0.0.1', path, headers }
    const request = get(options).on('error', () => {})
    await new Promise((resolve) => setTimeout(resolve, attempt % 10))
    request.destroy()
  }
  const getStatus = async () => (await openFeed(app, path, cookie)).status
  await expect.poll(getStatus, { timeout: 60_000 }).toBe(200)
})

test('a feed ends after signing out', async ({ app, signedIn: { cookie, send } }) => {
  const feed = await openFeed(app, '/console/analytics/live', cookie)
  expect(await feed.next()).toBeDefined()
  await send('/console/sign-out')
  expect(await feed.next()).toBeUndefined()
})

test('a feed of a member ends when the member is removed', async ({
  app,
  signedIn: { owner, send },
}) => {
  const member = await signInMember(app, owner, 'viewer')
  const feed = await openFeed(app, '/console/analytics/live', member.cookie)
  expect(await feed.next()).toBeDefined()
  expect((await send(`/console/members/${member.user.id}/remove`)).statusCode).toBe(303)
  expect(await feed.next()).toBeUndefined()
})

test('a shutdown ends feeds immediately', async () => {
  const app = await testApp()
  const { account } = await app.make.owner()
  const { cookie } = await signIn(app, account.email)
  const feed = await openFeed(app, '/console/analytics/live', cookie)
  expect(await feed.next()).toBeDefined()
  await Promise.all([app.close(), expect(feed.next()).resolves.toBeUndefined()])
})

test('clicks are published only for accounts that opened a feed', async ({
  app,
  make,
  signedIn: { owner, cookie },
}) => {
  const { pool } = app.services.database
  await make.link(owner)
  const countFollowed = async () => {
    const { rows } = await pool.query<{ account_id: number }>(
      'select account_id from followed_accounts where until > now() and account_id = $1',
      [owner.account.id],
    )
    return rows.length
  }
  expect(await countFollowed()).toBe(0)
  await (await openFeed(app, '/console/analytics/live', cookie)).next()
  expect(await countFollowed()).toBe(1)
})

/** Returns the alias of the short link in a QR code. */
async function findAliasOfCode({ services }: TestApp, id: number): Promise<string> {
  const { rows } = await services.database.pool.query<{ alias: string }>(
    'select alias from links where id = (select link_id from qr_codes where id = $1)',
    [id],
  )
  return rows[0]?.alias ?? ''
}

/** Opens the live feed at a path, and closes it after the test. */
async function openFeed(
  app: TestApp,
  path: string,
  cookie: string,
  headers: Record<string, string> = {},
) {
  await app.listen()
  const { host } = new URL(app.baseUrl)
  const feed = await openEventStream({ port: app.port(), host }, path, { cookie, ...headers })
  onTestFinished(() => void feed.close())
  return feed
}

type ServerEvent = { id: string; data: unknown }

/** Opens server-sent events at a path of a server on loopback. */
async function openEventStream(
  { port, host }: { port: number; host: string },
  path: string,
  headers: Record<string, string>,
) {
  const request = get({
    port,
    host: '127.0.0.1',
    path,
    headers: { host, accept: 'text/event-stream', ...headers },
  })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  const events = parseEvents(response)
  return {
    status: response.statusCode,
    headers: response.headers,
    /** Returns the next event, or undefined when the stream ends. */
    next: async () => (await events.next()).value ?? undefined,
    close: () => request.destroy(),
  }
}

/** Parses server-sent events. Comments, such as heartbeats, are not events. */
async function* parseEvents(response: IncomingMessage): AsyncGenerator<ServerEvent, void> {
  let fields: Record<string, string> = {}
  for await (const line of createInterface({ input: response })) {
    const [, name = '', value = ''] = /^(\w+): (.*)$/.exec(line) ?? []
    if (name) fields[name] = value
    if (line !== '') continue
    if (fields.data) yield { id: fields.id ?? '', data: JSON.parse(fields.data) }
    fields = {}
  }
}
