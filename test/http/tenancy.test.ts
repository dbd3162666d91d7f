import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Schema } from '../../src/db/schema.ts'
import { type TestApp, testApp } from '../support/app.ts'
import type { Operation } from '../support/contract.ts'
import type { Owner } from '../support/make.ts'

let t: TestApp
let stranger: Owner
let mine: Things
let foreign: Things
let deleted: Things

type Things = Record<
  'domain' | 'campaign' | 'channel' | 'url' | 'pixel' | 'qr' | 'bio' | 'splash' | 'overlay',
  number
>

beforeAll(async () => {
  t = await testApp()
  stranger = await t.make.owner()
  mine = await makeThings(stranger, 'mine')
  deleted = await makeThings(stranger, 'deleted')
  await deleteThings(stranger, deleted)
  foreign = await makeThings(await t.make.owner(), 'foreign')
})
afterAll(() => t.close())

async function makeThings(owner: Owner, name: string): Promise<Things> {
  const { make } = t
  const [domain, campaign, channel, url, pixel, qr, bio, splash, overlay] = [
    await make.domain(owner, { domain: `https://${name}.example` }),
    await make.campaign(owner),
    await make.channel(owner),
    await make.link(owner),
    await make.pixel(owner),
    await make.qr(owner, { type: 'link', data: 'https://example.com/' }),
    await make.bio(owner, { alias: name }),
    await make.splash(owner),
    await make.overlay(owner),
  ]
  return {
    domain: domain.id,
    campaign: campaign.id,
    channel: channel.id,
    url: url.id,
    pixel: pixel.id,
    qr: qr.id,
    bio: bio.id,
    splash: splash.id,
    overlay: overlay.id,
  }
}

async function deleteThings(owner: Owner, things: Things): Promise<void> {
  for (const kind of ['domain', 'campaign', 'channel', 'url', 'pixel', 'qr'] as const) {
    const url = `/api/${kind}/${things[kind]}/delete`
    const reply = await t.request({ method: 'DELETE', url, headers: owner.headers })
    expect(reply.statusCode).toBe(200)
  }
  const { account } = owner
  await t.services.bios.delete(account.id, things.bio)
  await t.services.splashes.delete(account.id, things.splash)
  await t.services.overlays.delete(account.id, things.overlay)
}

/** Bodies that would succeed on a thing of one's own. */
const bodies: Record<string, object> = {
  '/api/domain/{id}/update': { redirectroot: 'https://example.com/stolen' },
  '/api/campaign/{id}/update': { name: 'stolen' },
  '/api/channel/{id}/update': { name: 'stolen' },
  '/api/url/{id}/update': { url: 'https://example.com/stolen' },
  '/api/pixel/{id}/update': { tag: 'stolen' },
  '/api/qr/{id}/update': { data: 'https://example.com/stolen' },
}

const NOTHING = 123_456_789
const impossible = ['0', '-1', '1.5', 'x', '1e1', '9007199254740993', '%00', '٣']

test('every id in a path: foreign, deleted, of nothing and impossible are one 404 and do nothing', async () => {
  const withId = t.contract.operations.filter(
    ({ path }) => path.includes('{') && !path.startsWith('/api/v1/'),
  )
  expect(withId.length).toBeGreaterThanOrEqual(16)
  const before = await everything()
  const seen = new Map<string, string>()
  for (const operation of withId) {
    for (const [url, name] of pathsOf(operation)) {
      const reply = await t.request({
        method: operation.method as 'GET',
        url,
        headers: stranger.headers,
        ...(bodies[operation.path] && { payload: bodies[operation.path] as object }),
      })
      expect([operation.method, operation.path, name, reply.statusCode]).toEqual([
        operation.method,
        operation.path,
        name,
        404,
      ])
      seen.set(reply.body, `${operation.path} ${name}`)
    }
  }
  expect([...seen.keys()]).toEqual([
    '{"error":1,"message":"The requested resource was not found."}',
  ])
  expect(await everything()).toEqual(before)
})

test('every reference in a body: foreign, deleted and of nothing are one 400 and do nothing', async () => {
  const before = await everything()
  const references: [field: string, refer: (things: Things) => object, problem: string][] = [
    [
      'type',
      ({ splash }) => ({ type: String(splash) }),
      'type names a splash page that does not exist',
    ],
    [
      'type',
      ({ overlay }) => ({ type: `overlay-${overlay}` }),
      'type names an overlay that does not exist',
    ],
    ['pixels', ({ pixel }) => ({ pixels: [pixel] }), 'pixels names a pixel that does not exist'],
  ]
  const nothing = Object.fromEntries(Object.keys(mine).map((kind) => [kind, NOTHING])) as Things
  for (const [, refer, problem] of references) {
    for (const things of [foreign, deleted, nothing]) {
      for (const [method, url] of [
        ['POST', '/api/url/add'],
        ['PUT', `/api/url/${mine.url}/update`],
      ] as const) {
        const payload = { url: 'https://example.com/', ...refer(things) }
        const reply = await t.request({ method, url, headers: stranger.headers, payload })
        expect([reply.statusCode, reply.json()]).toEqual([400, { error: 1, message: problem }])
      }
    }
  }
  for (const domain of ['foreign.example', 'deleted.example', 'nothing.example']) {
    const payload = { url: 'https://example.com/', domain }
    const reply = await t.request({
      method: 'POST',
      url: '/api/url/add',
      headers: stranger.headers,
      payload,
    })
    expect([reply.statusCode, reply.json().message]).toEqual([
      400,
      'domain is not a domain of this account',
    ])
  }
  expect(await everything()).toEqual(before)
})

/** The paths of one operation in which one id at a time is not the caller's to use. */
function pathsOf({ path }: Operation): [url: string, name: string][] {
  const kind = path.split('/')[2] as keyof Things
  if (path.includes('/assign/{type}/')) {
    const own = { links: mine.url, bio: mine.bio, qr: mine.qr }
    const theirs = { links: 'url', bio: 'bio', qr: 'qr' } as const
    return (['links', 'bio', 'qr'] as const).flatMap((type) => [
      ...badIds('channel').map(([id, name]): [string, string] => [
        `/api/channel/${id}/assign/${type}/${own[type]}`,
        name,
      ]),
      ...badIds(theirs[type]).map(([id, name]): [string, string] => [
        `/api/channel/${mine.channel}/assign/${type}/${id}`,
        name,
      ]),
    ])
  }
  if (path.includes('/assign/')) {
    return [
      ...badIds('campaign').map(([id, name]): [string, string] => [
        `/api/campaign/${id}/assign/${mine.url}`,
        name,
      ]),
      ...badIds('url').map(([id, name]): [string, string] => [
        `/api/campaign/${mine.campaign}/assign/${id}`,
        name,
      ]),
    ]
  }
  return badIds(kind).map(([id, name]) => [path.replace('{id}', id), name])
}

function badIds(kind: keyof Things): [id: string, name: string][] {
  return [
    [String(foreign[kind]), `a foreign ${kind}`],
    [String(deleted[kind]), `a deleted ${kind}`],
    [String(NOTHING), 'nothing'],
    ...impossible.map((id): [string, string] => [
      encodeURI(id).replace('%2500', '%00'),
      `impossible ${id}`,
    ]),
  ]
}

/** All that anybody owns. */
async function everything(): Promise<string> {
  const tables = [
    'domains',
    'campaigns',
    'campaign_links',
    'channels',
    'channel_items',
    'links',
    'link_pixels',
    'pixels',
    'qr_codes',
  ] satisfies (keyof Schema)[]
  const rows = []
  for (const table of tables)
    rows.push(await t.services.database.db.selectFrom(table).selectAll().execute())
  return JSON.stringify(rows)
}
