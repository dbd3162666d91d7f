import { describe, expect } from 'vitest'
import { appTest } from '../support/test.ts'
import { createTransferCommands } from '../support/transfer.ts'

const urlA = 'https://example.com/a'
const urlB = 'https://example.com/b'
const split = [
  { to: urlA, weight: 60 },
  { to: urlB, weight: 40 },
]
const url = 'https://example.com/'

const test = appTest()
  .extend('visit', { scope: 'file' }, ({ request }) => {
    return async (alias: string, visitor: number, headers: object = {}) => {
      const reply = await request({
        url: `/${alias}`,
        headers: { host: 'brev.test', 'user-agent': `Firefox/${visitor}`, ...headers },
      })
      return reply.headers.location ?? reply.statusCode
    }
  })
  .extend('call', { scope: 'file' }, ({ request, owner }) => {
    return async (method: 'GET' | 'POST' | 'PUT', path: string, payload?: object) => {
      const { headers } = owner
      const reply = await request({
        method,
        url: `/api${path}`,
        headers,
        ...(payload && { payload }),
      })
      return { status: reply.statusCode, ...reply.json() }
    }
  })

test('divides visitors by weight, keeps each visitor on one variant, and counts clicks by variant', async ({
  app,
  call,
  make,
  owner,
  visit,
}) => {
  const { id, alias } = await make.link(owner, { split })
  const withoutSplit = await make.link(owner)
  const clicksByVariant = new Map<string, number>()
  for (let visitor = 0; visitor < 40; visitor += 1) {
    const to = String(await visit(alias, visitor))
    expect(await visit(alias, visitor)).toBe(to)
    clicksByVariant.set(to, (clicksByVariant.get(to) ?? 0) + 2)
  }
  expect([...clicksByVariant.keys()].sort()).toEqual([urlA, urlB])
  await visit(withoutSplit.alias, 1)
  await app.importClicks()
  const variants = [...clicksByVariant]
    .map(([label, clicks]) => ({ label, clicks }))
    .sort((a, b) => b.clicks - a.clicks || (a.label < b.label ? -1 : 1))
  const linkStatistics = (await call('GET', `/url/${id}/stats`)).data
  expect(linkStatistics).toMatchObject({ clicks: 80, variants })
  expect((await call('GET', `/url/${withoutSplit.id}/stats`)).data.variants).toEqual([])
  expect((await call('GET', '/stats')).data).toMatchObject({ clicks: 81, variants })
  const variantStatistics = (
    await call('GET', `/url/${id}/stats?variant=${encodeURIComponent(urlA)}`)
  ).data
  const clicks = clicksByVariant.get(urlA)
  expect(variantStatistics).toMatchObject({
    filtered: true,
    clicks,
    variants: [{ label: urlA, clicks }],
  })
  const eitherVariant = `variant=${encodeURIComponent(urlA)}&variant=${encodeURIComponent(urlB)}`
  expect((await call('GET', `/stats?${eitherVariant}`)).data).toMatchObject({
    clicks: 80,
    variants,
  })
  expect((await call('GET', '/stats?variant=nothing')).data.clicks).toBe(0)
  expect((await call('GET', '/stats?browser=Firefox')).data).toMatchObject({ clicks: 81, variants })
  expect(await createTransferCommands(app, owner).check()).toContain('agree')
})

test('a matching rule takes precedence over the split', async ({
  app,
  call,
  make,
  owner,
  visit,
}) => {
  const to = 'https://example.com/rule'
  const { id, alias } = await make.link(owner, {
    split,
    rules: [{ when: { language: 'de' }, to }],
  })
  for (let visitor = 0; visitor < 5; visitor += 1) {
    expect(await visit(alias, visitor, { 'accept-language': 'de' })).toBe(to)
    expect([urlA, urlB]).toContain(await visit(alias, visitor, { 'accept-language': 'fr' }))
  }
  await app.importClicks()
  const { data } = await call('GET', `/url/${id}/stats`)
  expect(data.clicks).toBe(10)
  const variantClicks = data.variants.reduce(
    (total: number, { clicks }: { clicks: number }) => total + clicks,
    0,
  )
  expect(variantClicks).toBe(5)
})

test('the API creates, shows, changes, and clears a split', async ({ call, visit }) => {
  const { id, shorturl } = await call('POST', '/url/add', { url, split })
  const readDetails = async () => (await call('GET', `/url/${id}`)).details
  expect((await readDetails()).split).toEqual(split)
  const newSplit = [...split, { to: 'https://example.com/c', weight: 100 }]
  await call('PUT', `/url/${id}/update`, { url, split: newSplit })
  expect((await readDetails()).split).toEqual(newSplit)
  await call('PUT', `/url/${id}/update`, { url, split: [] })
  expect(await readDetails()).not.toHaveProperty('split')
  expect(await visit(new URL(shorturl).pathname.slice(1), 1)).toBe(url)
})

describe('POST /url/add returns 400 and names', () => {
  const createEntry = (index: number) => ({ to: `https://example.com/${index}`, weight: 1 })
  test.for([
    ['split', [createEntry(1)]],
    ['split', Array.from({ length: 11 }, (_, index) => createEntry(index))],
    ['split[1].to', [createEntry(1), { to: 'javascript:alert(1)', weight: 1 }]],
    ['split[1].to', [createEntry(1), { to: 'http://brev.test/x', weight: 1 }]],
    ['split[1].to', [createEntry(1), createEntry(1)]],
    ['split[0].weight', [{ ...createEntry(1), weight: 0 }, createEntry(2)]],
    ['split[1].weight', [createEntry(1), { ...createEntry(2), weight: 101 }]],
    ['split[1].weight', [createEntry(1), { ...createEntry(2), weight: 1.5 }]],
    ['split[1].weight', [createEntry(1), { to: url }]],
  ] as const)('%s: case %#', async ([field, split], { call }) => {
    const reply = await call('POST', '/url/add', { url, split })
    expect(reply.status).toBe(400)
    expect(reply.message).toContain(field)
  })
})

test('visitors of a variant on a blocked host get the blocked page', async ({
  app,
  make,
  owner,
  visit,
}) => {
  const blockedVariants = [
    { to: 'https://bad.example/1', weight: 1 },
    { to: 'https://bad.example/2', weight: 1 },
  ]
  const { alias } = await make.link(owner, { split: blockedVariants })
  const { db, blockList, visitLinks } = app.services
  const blockedHost = { host: 'bad.example', subdomains: false, reason: null, blocked_by: 'admin' }
  await db.insertInto('blocked_hosts').values(blockedHost).execute()
  blockList.invalidate()
  visitLinks.invalidateHost('bad.example')
  expect(await visit(alias, 1)).toBe(410)
})
