import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestApp, testApp } from './support/app.ts'
import type { Owner } from './support/make.ts'

let t: TestApp
let owner: Owner

beforeAll(async () => {
  t = await testApp()
  owner = await t.make.owner({ username: 'Anna' })
})
afterAll(() => t.close())

const send = (
  method: 'POST' | 'PUT' | 'DELETE' | 'GET',
  url: string,
  payload?: object,
  by = owner,
) => t.request({ method, url, headers: by.headers, ...(payload && { payload }) })
const add = (payload: object, by = owner) => send('POST', '/api/campaign/add', payload, by)
const update = (id: number | string, payload: object, by = owner) =>
  send('PUT', `/api/campaign/${id}/update`, payload, by)
const remove = (id: number | string, by = owner) =>
  send('DELETE', `/api/campaign/${id}/delete`, undefined, by)
const assign = (id: number | string, linkId: number | string, by = owner) =>
  send('POST', `/api/campaign/${id}/assign/${linkId}`, undefined, by)
const list = async (by = owner, query = '') =>
  (await send('GET', `/api/campaigns${query}`, undefined, by)).json().data

const notFound = [404, { error: 1, message: 'The requested resource was not found.' }]
const taken = { error: 1, message: 'That slug is taken. Please choose another one.' }
const slugRule = 'slug must be 1 to 64 letters, digits, hyphens or underscores'
const noText = 'must be text without NUL characters or broken surrogates'

const refusals: [payload: object, message: string][] = [
  [{ name: 5 }, 'name must be a string'],
  [{ name: {} }, 'name must be a string'],
  [{ name: '   ' }, 'name must not be empty'],
  [{ name: 'x'.repeat(201) }, 'name must not have more than 200 characters'],
  [{ name: 'a\0b' }, `name ${noText}`],
  [{ name: 'a\ud800' }, `name ${noText}`],
  [{ slug: 5 }, 'slug must be a string'],
  [{ slug: ['a'] }, 'slug must be a string'],
  [{ slug: 'a b' }, slugRule],
  [{ slug: 'a/b' }, slugRule],
  [{ slug: 'x'.repeat(65) }, slugRule],
  [{ slug: 'x'.repeat(257) }, 'slug must not have more than 256 characters'],
  [{ slug: 'Admin' }, 'slug is a reserved word'],
  [{ public: 'yes' }, 'public must be a boolean'],
  [{ public: 1 }, 'public must be a boolean'],
  [{ public: [] }, 'public must be a boolean'],
]

describe('POST /api/campaign/add', () => {
  test('makes a campaign with a rotator, which the list shows', async () => {
    const by = await t.make.owner({ username: 'bert' })
    const reply = await add({ name: ' Spring ', slug: 'spring', public: true }, by)
    expect(reply.statusCode).toBe(200)
    const { id } = reply.json()
    const campaign = {
      id: expect.any(Number),
      domain: 'Spring',
      public: true,
      rotator: 'http://brev.test/r/spring',
      list: `http://brev.test/u/bert/${id}`,
    }
    expect(reply.json()).toEqual({ error: 0, ...campaign })
    expect(await list(by)).toEqual({
      result: 1,
      perpage: 15,
      currentpage: 1,
      nextpage: 1,
      maxpage: 1,
      campaigns: [{ ...campaign, name: 'Spring' }],
    })
  })

  test.each([
    {},
    { name: '', slug: null, public: null },
    { name: null, slug: '', public: false, id: 1 },
    { name: false, slug: false },
  ])('calls it by its id when %j says nothing', async (payload) => {
    const reply = await add(payload)
    const { id } = reply.json()
    expect(reply.json()).toEqual({
      error: 0,
      id: expect.any(Number),
      domain: `Campaign ${id}`,
      public: false,
      rotator: false,
      list: `http://brev.test/u/Anna/${id}`,
    })
  })

  test('takes a slug of any script, and prints it as part of a URL', async () => {
    const reply = await add({ slug: 'fru\u0308hling' })
    expect(reply.json().rotator).toBe(`http://brev.test/r/${encodeURIComponent('frühling')}`)
    expect((await add({ slug: 'frühling' })).statusCode).toBe(409)
    expect((await add({ slug: 'Frühling' })).statusCode).toBe(200)
  })

  test.each(refusals)('refuses %j', async (payload, message) => {
    const before = (await list()).result
    const reply = await add(payload)
    expect([reply.statusCode, reply.json()]).toEqual([400, { error: 1, message }])
    expect((await list()).result).toBe(before)
  })

  test('refuses a slug of anybody’s', async () => {
    await t.make.campaign(await t.make.owner(), { slug: 'somebodys' })
    const reply = await add({ slug: 'somebodys' })
    expect([reply.statusCode, reply.json()]).toEqual([409, taken])
  })

  test('gives a slug that 20 want at once to exactly one of them', async () => {
    const replies = await Promise.all(Array.from({ length: 20 }, () => add({ slug: 'contested' })))
    const statuses = replies.map(({ statusCode }) => statusCode).sort()
    expect(statuses).toEqual([200, ...Array(19).fill(409)])
  })

  test('under the same Idempotency-Key makes one campaign', async () => {
    const by = await t.make.owner()
    const headers = { ...by.headers, 'idempotency-key': 'one' }
    const options = { method: 'POST', url: '/api/campaign/add', headers, payload: {} } as const
    const [first, second] = [await t.request(options), await t.request(options)]
    expect(second.json()).toEqual(first.json())
    expect((await list(by)).result).toBe(1)
  })
})

test('GET /api/campaigns pages newest first, and shows nothing of other accounts', async () => {
  const by = await t.make.owner()
  const ids: number[] = []
  for (let i = 0; i < 5; i += 1) ids.unshift((await t.make.campaign(by)).id)
  const page = async (query: string, reader = by) => {
    const { campaigns, ...counters } = await list(reader, query)
    return [counters, campaigns.map(({ id }: { id: number }) => id)]
  }
  const counters = { result: 5, perpage: 2, maxpage: 3 }
  expect(await page('?limit=2')).toEqual([
    { ...counters, currentpage: 1, nextpage: 2 },
    ids.slice(0, 2),
  ])
  expect(await page('?limit=2&page=2')).toEqual([
    { ...counters, currentpage: 2, nextpage: 3 },
    ids.slice(2, 4),
  ])
  expect(await page('?limit=2&page=3')).toEqual([
    { ...counters, currentpage: 3, nextpage: 3 },
    ids.slice(4),
  ])
  expect(await page('?limit=2&page=4')).toEqual([{ ...counters, currentpage: 4, nextpage: 3 }, []])
  await remove(ids[2] ?? 0, by)
  expect(await page('?limit=2&page=2')).toEqual([
    { result: 4, perpage: 2, maxpage: 2, currentpage: 2, nextpage: 2 },
    ids.slice(3),
  ])
  expect(await page('', await t.make.owner())).toEqual([
    { result: 0, perpage: 15, currentpage: 1, nextpage: 1, maxpage: 1 },
    [],
  ])
})

describe('PUT /api/campaign/{id}/update', () => {
  test('changes what is given, leaves what is absent or null, clears what is empty', async () => {
    const { id } = await t.make.campaign(owner, { name: 'Old', slug: 'old', public: true })
    const shown = (domain: string, rotator: string | false, open: boolean) => ({
      error: 0,
      id,
      domain,
      public: open,
      rotator,
      list: `http://brev.test/u/Anna/${id}`,
    })
    const renamed = await update(id, { name: 'New' })
    expect(renamed.statusCode).toBe(200)
    expect(renamed.json()).toEqual(shown('New', 'http://brev.test/r/old', true))
    expect((await update(id, { name: 'New', slug: null, public: null })).json()).toEqual(
      renamed.json(),
    )
    expect((await update(id, { name: 'New', slug: 'new', public: false })).json()).toEqual(
      shown('New', 'http://brev.test/r/new', false),
    )
    expect((await update(id, { name: 'New', slug: '' })).json()).toEqual(shown('New', false, false))
    expect((await list()).campaigns.find((each: { id: number }) => each.id === id)).toMatchObject({
      name: 'New',
      rotator: false,
    })
    // The slug that was given up is free for others.
    expect((await add({ slug: 'old' })).statusCode).toBe(200)
  })

  test.each<[object, string]>([
    [{}, 'name is required'],
    [{ name: '' }, 'name is required'],
    [{ name: null, slug: 'x' }, 'name is required'],
    ...refusals.map(([payload, message]): [object, string] => [
      { name: 'New', ...payload },
      message,
    ]),
  ])('refuses %j', async (payload, message) => {
    const { id } = await t.make.campaign(owner, { name: 'Kept' })
    const reply = await update(id, payload)
    expect([reply.statusCode, reply.json()]).toEqual([400, { error: 1, message }])
    expect((await list()).campaigns[0].name).toBe('Kept')
  })

  test('refuses a slug that is taken, but not the one it has', async () => {
    await t.make.campaign(owner, { slug: 'first' })
    const { id } = await t.make.campaign(owner, { name: 'Second', slug: 'second' })
    const reply = await update(id, { name: 'Second', slug: 'first' })
    expect([reply.statusCode, reply.json()]).toEqual([409, taken])
    expect((await update(id, { name: 'Second', slug: 'second' })).statusCode).toBe(200)
  })
})

describe('POST /api/campaign/{campaignid}/assign/{linkid}', () => {
  test('adds a link, and again without harm', async () => {
    const { id } = await t.make.campaign(owner, { public: true })
    const link = await t.make.link(owner)
    for (let i = 0; i < 2; i += 1) {
      const reply = await assign(id, link.id)
      expect(reply.statusCode).toBe(200)
      expect(reply.json()).toEqual({
        error: 0,
        message: 'Link has been added to the campaign successfully.',
      })
    }
    const shown = await t.services.campaigns.publicList('Anna', id, { limit: 10, offset: 0 })
    expect(shown?.total).toBe(1)
  })

  test('adds a link to several campaigns, and once when 20 add it at the same time', async () => {
    const link = await t.make.link(owner)
    const campaigns = [await t.make.campaign(owner), await t.make.campaign(owner)]
    for (const { id } of campaigns) {
      const replies = await Promise.all(Array.from({ length: 20 }, () => assign(id, link.id)))
      expect(replies.map(({ statusCode }) => statusCode)).toEqual(Array(20).fill(200))
      await update(id, { name: 'Open', public: true })
      const shown = await t.services.campaigns.publicList('Anna', id, { limit: 10, offset: 0 })
      expect(shown).toMatchObject({ total: 1, entries: [{ shortUrl: link.shortUrl }] })
    }
  })

  test('is 404 unless both are the account’s own', async () => {
    const other = await t.make.owner()
    const [own, foreign] = [await t.make.campaign(owner), await t.make.campaign(other)]
    const [ownLink, foreignLink] = [await t.make.link(owner), await t.make.link(other)]
    const gone = await t.make.campaign(owner)
    await remove(gone.id)
    const goneLink = await t.make.link(owner)
    await t.services.links.delete(owner.account.id, goneLink.id)
    const replies = [
      await assign(foreign.id, ownLink.id),
      await assign(own.id, foreignLink.id),
      await assign(foreign.id, foreignLink.id),
      await assign(gone.id, ownLink.id),
      await assign(own.id, goneLink.id),
      await assign(own.id, 'x'),
      await assign('0', ownLink.id),
      await assign(own.id, '9007199254740993'),
    ]
    for (const reply of replies) expect([reply.statusCode, reply.json()]).toEqual(notFound)
    expect(new Set(replies.map(({ body }) => body)).size).toBe(1)
  })

  test('against the deletion of either has one clear winner', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { id } = await t.make.campaign(owner)
      const link = await t.make.link(owner)
      const [assigned, deleted] = await Promise.all([
        assign(id, link.id),
        round % 2 ? remove(id) : send('DELETE', `/api/url/${link.id}/delete`),
      ])
      expect(deleted.statusCode).toBe(200)
      expect([200, 404]).toContain(assigned.statusCode)
      expect((await assign(id, link.id)).statusCode).toBe(404)
    }
  })
})

describe('DELETE /api/campaign/{id}/delete', () => {
  test('deletes the campaign and leaves its links', async () => {
    const { id } = await t.make.campaign(owner, { slug: 'leaving' })
    const link = await t.make.link(owner)
    await assign(id, link.id)
    const reply = await remove(id)
    expect(reply.statusCode).toBe(200)
    expect(reply.json()).toEqual({ error: 0, message: 'Campaign has been deleted successfully.' })
    expect((await send('GET', `/api/url/${link.id}`)).statusCode).toBe(200)
    expect(await t.services.campaigns.pickLink('leaving')).toBe(null)
    expect((await add({ slug: 'leaving' })).statusCode).toBe(200)
  })
})

test('ids that are foreign, deleted or unknown are the same to the last byte', async () => {
  const foreign = await t.make.campaign(await t.make.owner(), { name: 'Foreign' })
  const deleted = await t.make.campaign(owner)
  await remove(deleted.id)
  const ids = [
    foreign.id,
    deleted.id,
    999_999_999,
    '9007199254740993',
    '0',
    '-1',
    '1.5',
    'x',
    '%00',
  ]
  const replies = await Promise.all(ids.flatMap((id) => [update(id, { name: 'x' }), remove(id)]))
  for (const reply of replies) expect([reply.statusCode, reply.json()]).toEqual(notFound)
  expect(new Set(replies.map(({ body }) => body)).size).toBe(1)
})

describe('the link of a rotator', () => {
  test('is any of the live ones, each as likely as the others', async () => {
    const { id } = await t.make.campaign(owner, { slug: 'wheel' })
    const domain = await t.make.domain(owner)
    const live = [
      await t.make.link(owner),
      await t.make.link(owner, { domain: domain.origin }),
      await t.make.link(owner, { expiry: '9999-01-01' }),
    ]
    const expiring = await t.make.link(owner, { expiry: tomorrow() })
    const disabled = await t.make.link(owner)
    await t.services.links.setStatus(owner.account.id, disabled.id, 'disabled')
    for (const link of [...live, expiring, disabled]) await assign(id, link.id)
    t.clock.advance(3 * 86_400)
    const drawn = new Map<string, number>()
    for (let i = 0; i < 300; i += 1) {
      const place = await t.services.campaigns.pickLink('wheel')
      const key = JSON.stringify(place)
      drawn.set(key, (drawn.get(key) ?? 0) + 1)
    }
    const places = live.map(({ alias }, index) => ({
      domainId: index === 1 ? domain.id : null,
      alias,
    }))
    expect([...drawn.keys()].sort()).toEqual(places.map((place) => JSON.stringify(place)).sort())
    // 100 each are expected, and fewer than 50 come up once in some hundred million runs.
    for (const count of drawn.values()) expect(count).toBeGreaterThan(50)
  })

  test('is found when it is the only live one among many', async () => {
    const { id } = await t.make.campaign(owner, { slug: 'needle' })
    for (let i = 0; i < 30; i += 1) {
      const link = await t.make.link(owner)
      await t.services.links.setStatus(owner.account.id, link.id, 'disabled')
      await assign(id, link.id)
    }
    const live = await t.make.link(owner)
    await assign(id, live.id)
    for (let i = 0; i < 10; i += 1) {
      expect(await t.services.campaigns.pickLink('needle')).toEqual({
        domainId: null,
        alias: live.alias,
      })
    }
  })

  test('is none without a live link, and without such a slug', async () => {
    const { id } = await t.make.campaign(owner, { slug: 'empty' })
    expect(await t.services.campaigns.pickLink('empty')).toBe(null)
    const link = await t.make.link(owner)
    await t.services.links.setStatus(owner.account.id, link.id, 'disabled')
    await assign(id, link.id)
    expect(await t.services.campaigns.pickLink('empty')).toBe(null)
    for (const slug of ['nobodys', 'EMPTY', '', 'a b', '\0', '\ud800']) {
      expect(await t.services.campaigns.pickLink(slug)).toBe(null)
    }
  })
})

describe('the public list', () => {
  test('shows the live links, newest first and page by page', async () => {
    const { id } = await t.make.campaign(owner, { name: 'Open', public: true })
    const domain = await t.make.domain(owner)
    const first = await t.make.link(owner, { url: 'https://example.org/x' })
    const second = await t.make.link(owner, { metatitle: 'Second', domain: domain.origin })
    const hidden = await t.make.link(owner, { metatitle: 'Hidden' })
    await t.services.links.setStatus(owner.account.id, hidden.id, 'disabled')
    for (const link of [second, hidden, first]) await assign(id, link.id)
    const page = (limit: number, offset: number, username = 'Anna') =>
      t.services.campaigns.publicList(username, id, { limit, offset })
    const shown = [
      { title: 'Second', shortUrl: second.shortUrl },
      { title: 'example.org', shortUrl: first.shortUrl },
    ]
    expect(second.shortUrl).toBe(`${domain.origin}/${second.alias}`)
    const head = { name: 'Open', username: 'Anna', total: 3 }
    expect(await page(10, 0)).toEqual({ ...head, entries: shown })
    expect(await page(10, 0, 'ANNA')).toEqual({ ...head, entries: shown })
    expect(await page(2, 0)).toEqual({ ...head, entries: shown.slice(0, 1) })
    expect(await page(2, 2)).toEqual({ ...head, entries: shown.slice(1) })
    expect(await page(2, 4)).toEqual({ ...head, entries: [] })
  })

  test('is there for nobody unless it is public and under its owner’s name', async () => {
    const open = await t.make.campaign(owner, { public: true })
    const closed = await t.make.campaign(owner)
    const other = await t.make.owner()
    const page = { limit: 10, offset: 0 }
    const { publicList } = t.services.campaigns
    expect(await publicList('Anna', open.id, page)).not.toBe(null)
    expect(await publicList('Anna', closed.id, page)).toBe(null)
    expect(await publicList(other.account.username, open.id, page)).toBe(null)
    expect(await publicList('nobody', open.id, page)).toBe(null)
    expect(await publicList('Anna', 999_999_999, page)).toBe(null)
    await update(open.id, { name: 'x', public: false })
    expect(await publicList('Anna', open.id, page)).toBe(null)
  })
})

function tomorrow(): string {
  return new Date(t.clock().getTime() + 86_400_000).toISOString().slice(0, 10)
}
