import { expect } from 'vitest'
import type { DB } from '../../src/db/tables.generated.ts'
import { bios } from '../../src/resources/bios.ts'
import { overlays } from '../../src/resources/overlays.ts'
import { splashes } from '../../src/resources/splashes.ts'
import type { Operation } from '../support/contract.ts'
import type { Owner } from '../support/make.ts'
import { appTest } from '../support/test.ts'

type Resources = Record<
  'domain' | 'campaign' | 'channel' | 'url' | 'pixel' | 'qr' | 'bio' | 'splash' | 'overlay',
  number
>

const test = appTest().extend('tenants', { scope: 'file' }, async ({ app, make, request }) => {
  const otherOwner = await make.owner()
  const own = await makeResources(otherOwner, 'own')
  const deleted = await makeResources(otherOwner, 'deleted')
  await deleteResources(otherOwner, deleted)
  const foreign = await makeResources(await make.owner(), 'foreign')
  async function makeResources(owner: Owner, name: string): Promise<Resources> {
    const { make } = app
    const domain = await make.domain(owner, { domain: `https://${name}.example` })
    const campaign = await make.campaign(owner)
    const channel = await make.channel(owner)
    const url = await make.link(owner, { alias: `of-${name}` })
    const pixel = await make.pixel(owner)
    const qr = await make.qr(owner, { type: 'link', data: 'https://example.com/' })
    const bio = await make.bio(owner, { alias: name })
    const splash = await make.splash(owner)
    const overlay = await make.overlay(owner)
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
  async function deleteResources(owner: Owner, resources: Resources): Promise<void> {
    for (const kind of ['domain', 'campaign', 'channel', 'url', 'pixel', 'qr'] as const) {
      const url = `/api/${kind}/${resources[kind]}/delete`
      const reply = await request({ method: 'DELETE', url, headers: owner.headers })
      expect(reply.statusCode).toBe(200)
    }
    const { account } = owner
    await bios.remove({ ...app.services, accountId: account.id }, resources.bio)
    await splashes.remove({ ...app.services, accountId: account.id }, resources.splash)
    await overlays.remove({ ...app.services, accountId: account.id }, resources.overlay)
  }
  /** Returns all operations with IDs from the API description, so that new ones are covered too. */
  function findOperationsWithIds(): Operation[] {
    return app.contract.operations.filter(
      ({ path }) => path.includes('{') && !path.startsWith('/api/v1/'),
    )
  }
  /** Calls an operation with the body from its example. */
  function call({ method, requestBody }: Operation, url: string) {
    const { schema, example } = requestBody?.content['application/json'] ?? {}
    const payload = (example ?? (schema?.examples as object[] | undefined)?.[0]) as
      | object
      | undefined
    const { headers } = otherOwner
    return request({ method: method as 'GET', url, headers, ...(payload && { payload }) })
  }
  /** Returns the IDs in a path. Throws for an unknown parameter. */
  function findIds({ path }: Operation, type: ItemType): IdParameter[] {
    return [...path.matchAll(/\{(\w+)\}/g)].flatMap(([, name = '']) => {
      if (name === 'type' || name === 'version') return []
      if (name === 'itemid' && type) return { name, kind: ITEM_OF[type] }
      const kind = name === 'id' ? (path.split('/')[2] as keyof Resources) : KIND_OF[name]
      if (kind === undefined || own[kind] === undefined) {
        throw new Error(`${path}: add the kind of {${name}} to KIND_OF`)
      }
      return { name, kind }
    })
  }
  function fillPath(
    operation: Operation,
    type: ItemType,
    chooseId: (id: IdParameter) => string,
  ): string {
    return findIds(operation, type).reduce(
      (url, id) => url.replace(`{${id.name}}`, chooseId(id)),
      operation.path.replace('{type}', type ?? '').replace('{version}', '0'),
    )
  }
  /** Returns the paths of an operation with one foreign, deleted, unknown or impossible ID each. */
  function createInvalidPaths(operation: Operation): [url: string, name: string][] {
    const types = operation.path.includes('{type}') ? CHANNEL_KINDS : [undefined]
    return types.flatMap((type) =>
      findIds(operation, type).flatMap(({ name, kind }) =>
        createInvalidIds(kind).map(([invalidId, description]): [string, string] => [
          fillPath(operation, type, (id) => (id.name === name ? invalidId : String(own[id.kind]))),
          `${description} as ${name}`,
        ]),
      ),
    )
  }
  function createInvalidIds(kind: keyof Resources): [id: string, name: string][] {
    return [
      [String(foreign[kind]), `a foreign ${kind}`],
      [String(deleted[kind]), `a deleted ${kind}`],
      [String(UNKNOWN_ID), 'nothing'],
      ...IMPOSSIBLE_IDS.map((id): [string, string] => [
        encodeURI(id).replace('%2500', '%00'),
        `impossible ${id}`,
      ]),
    ]
  }
  /** Returns all rows of the resources of all accounts as text. */
  async function readEverything(): Promise<string> {
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
      'bio_pages',
      'splash_pages',
      'overlays',
    ] satisfies (keyof DB)[]
    const rows = []
    for (const table of tables)
      rows.push(await app.services.database.db.selectFrom(table).selectAll().execute())
    return JSON.stringify(rows)
  }
  return {
    otherOwner,
    readEverything,
    own,
    foreign,
    deleted,
    makeResources,
    findOperationsWithIds,
    call,
    fillPath,
    createInvalidPaths,
  }
})

const UNKNOWN_ID = 123_456_789
const IMPOSSIBLE_IDS = ['0', '-1', '1.5', 'x', '1e1', '9007199254740993', '%00', '٣']

test('foreign, deleted, unknown and invalid IDs in paths get identical 404s without effect', async ({
  tenants: { findOperationsWithIds, call, readEverything, createInvalidPaths },
}) => {
  const withId = findOperationsWithIds()
  expect(withId.length).toBeGreaterThanOrEqual(16)
  const before = await readEverything()
  const replyByOperation = new Map<string, string>()
  for (const operation of withId) {
    for (const [url, name] of createInvalidPaths(operation)) {
      const reply = await call(operation, url)
      expect([operation.method, operation.path, name, reply.statusCode]).toEqual([
        operation.method,
        operation.path,
        name,
        404,
      ])
      replyByOperation.set(reply.body, `${operation.path} ${name}`)
    }
  }
  expect([...replyByOperation.keys()]).toEqual([
    '{"error":1,"message":"The requested resource was not found."}',
  ])
  expect(await readEverything()).toEqual(before)
})

test('the same calls succeed for the account’s own resources', async ({
  tenants: { otherOwner, makeResources, findOperationsWithIds, call, fillPath },
}) => {
  const spare = await makeResources(otherOwner, 'spare')
  // Deletions come last, because other operations need the resources.
  const sortKey = ({ method }: Operation) => Number(method === 'DELETE')
  for (const operation of findOperationsWithIds().sort((a, b) => sortKey(a) - sortKey(b))) {
    const types = operation.path.includes('{type}') ? CHANNEL_KINDS : [undefined]
    for (const type of types) {
      const reply = await call(
        operation,
        fillPath(operation, type, ({ kind }) => String(spare[kind])),
      )
      expect([operation.method, operation.path, reply.statusCode, reply.body]).toEqual([
        operation.method,
        operation.path,
        200,
        expect.any(String),
      ])
    }
  }
})

test('foreign, deleted and unknown short URLs get identical replies', async ({
  app,
  request,
  tenants: { otherOwner, readEverything },
}) => {
  const before = await readEverything()
  const shortUrls = ['foreign', 'deleted', 'nothing'].flatMap((name) => [
    `http://brev.test/of-${name}`,
    `https://${name}.example/of-${name}`,
  ])
  const legacy = app.contract.operations.filter(({ path }) => path.includes('{short_url}'))
  expect(legacy.length).toBeGreaterThanOrEqual(3)
  for (const { path } of legacy) {
    const distinctReplies = new Set<string>()
    for (const shortUrl of shortUrls) {
      const url = path
        .replace('{key}', otherOwner.key)
        .replace('{short_url}', Buffer.from(shortUrl).toString('base64url'))
        .replace('{format}', 'json')
      const reply = await request({ url })
      distinctReplies.add(`${reply.statusCode} ${reply.json().data.message}`)
    }
    expect([path, ...distinctReplies]).toEqual([path, '404 The requested resource was not found.'])
  }
  const filtered = app.contract.operations.filter(({ parameters = [] }) =>
    parameters.some((parameter) => parameter.in === 'query' && parameter.name === 'short'),
  )
  expect(filtered.length).toBeGreaterThanOrEqual(1)
  for (const { path } of filtered) {
    const distinctReplies = new Set<string>()
    for (const shortUrl of shortUrls) {
      const query = new URLSearchParams({ short: shortUrl })
      const reply = await request({ url: `${path}?${query}`, headers: otherOwner.headers })
      distinctReplies.add(`${reply.statusCode} ${reply.body}`)
    }
    expect([path, distinctReplies.size]).toEqual([path, 1])
  }
  expect(await readEverything()).toEqual(before)
})

test('foreign, deleted and unknown references in bodies get identical 400s without effect', async ({
  request,
  tenants: { otherOwner, own, foreign, deleted, readEverything },
}) => {
  const before = await readEverything()
  const references: [field: string, refer: (resources: Resources) => object, problem: string][] = [
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
  const unknown = Object.fromEntries(
    Object.keys(own).map((kind) => [kind, UNKNOWN_ID]),
  ) as Resources
  for (const [, refer, problem] of references) {
    for (const resources of [foreign, deleted, unknown]) {
      for (const [method, url] of [
        ['POST', '/api/url/add'],
        ['PUT', `/api/url/${own.url}/update`],
      ] as const) {
        const payload = { url: 'https://example.com/', ...refer(resources) }
        const reply = await request({ method, url, headers: otherOwner.headers, payload })
        expect([reply.statusCode, reply.json()]).toEqual([400, { error: 1, message: problem }])
      }
    }
  }
  for (const domain of ['foreign.example', 'deleted.example', 'nothing.example']) {
    const payload = { url: 'https://example.com/', domain }
    const reply = await request({
      method: 'POST',
      url: '/api/url/add',
      headers: otherOwner.headers,
      payload,
    })
    expect([reply.statusCode, reply.json().message]).toEqual([
      400,
      'domain is not a domain of this account',
    ])
  }
  expect(await readEverything()).toEqual(before)
})

/** The kinds of resources, by parameter name. */
const KIND_OF: Record<string, keyof Resources> = {
  campaignid: 'campaign',
  channelid: 'channel',
  linkid: 'url',
}
const ITEM_OF = { links: 'url', bio: 'bio', qr: 'qr' } as const
const CHANNEL_KINDS = ['links', 'bio', 'qr'] as const

type ItemType = (typeof CHANNEL_KINDS)[number] | undefined
type IdParameter = { name: string; kind: keyof Resources }
