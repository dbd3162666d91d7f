import { describe, expect } from 'vitest'
import { drawCampaignLink } from '../../src/resources/campaign-visits.ts'
import { resourceClient } from '../support/api-client.ts'
import { expectPages } from '../support/paging.ts'
import {
  expectNotFound,
  expectRejection,
  nameRejections,
  type Rejection,
  UNKNOWN_IDS,
} from '../support/rejections.ts'
import { appTest } from '../support/test.ts'

const test = appTest()
  .extend('owner', { scope: 'file' }, ({ make }) => make.owner({ username: 'Anna' }))
  .extend('api', { scope: 'file' }, ({ app, owner }) => {
    const { send, add, update, remove, list } = resourceClient({ app, owner }, 'campaign')
    const assign = (id: number | string, linkId: number | string, caller = owner) =>
      send('POST', `/api/campaign/${id}/assign/${linkId}`, undefined, caller)
    return { add, list, remove, update, send, assign }
  })

const SLUG_TAKEN = { error: 1, message: 'That slug is taken. Please choose another one.' }
const slugRule = 'slug must be 1 to 64 letters, digits, hyphens or underscores'

const rejections: Rejection[] = [
  ...nameRejections,
  [{ slug: 5 }, 'slug must be a string'],
  [{ slug: ['a'] }, 'slug must be a string'],
  [{ slug: 'a b' }, slugRule],
  [{ slug: 'a/b' }, slugRule],
  [{ slug: 'a\u200d' }, 'slug must not contain the invisible character U+200D'],
  [{ slug: 'x'.repeat(65) }, slugRule],
  [{ slug: 'x'.repeat(257) }, 'slug must not have more than 256 characters'],
  [{ slug: 'Admin' }, 'slug is a reserved word'],
  [{ public: 'yes' }, 'public must be a boolean'],
  [{ public: 1 }, 'public must be a boolean'],
  [{ public: [] }, 'public must be a boolean'],
]

describe('POST /api/campaign/add', () => {
  test('creates a campaign with a rotator and adds it to the list', async ({
    make,
    api: { add, list },
  }) => {
    const caller = await make.owner({ username: 'bert' })
    const reply = await add({ name: ' Spring ', slug: 'spring', public: true }, caller)
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
    expect(await list(caller)).toEqual({
      result: 1,
      perpage: 15,
      currentpage: 1,
      nextpage: 1,
      maxpage: 1,
      campaigns: [{ ...campaign, name: 'Spring' }],
    })
  })

  test.for([
    {},
    { name: '', slug: null, public: null },
    { name: null, slug: '', public: false, id: 1 },
    { name: false, slug: false },
  ])('names the campaign after its ID for %j', async (payload, { api: { add } }) => {
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

  test('accepts a slug in any script and returns it URL-encoded', async ({ api: { add } }) => {
    const reply = await add({ slug: 'fru\u0308hling' })
    expect(reply.json().rotator).toBe(`http://brev.test/r/${encodeURIComponent('frühling')}`)
    expect((await add({ slug: 'frühling' })).statusCode).toBe(409)
    expect((await add({ slug: 'Frühling' })).statusCode).toBe(200)
  })

  test.for(rejections)('rejects %j', async ([payload, message], { api: { add, list } }) => {
    const before = (await list()).result
    expectRejection(await add(payload), message)
    expect((await list()).result).toBe(before)
  })

  test('rejects a slug used by any account', async ({ make, api: { add } }) => {
    await make.campaign(await make.owner(), { slug: 'others-slug' })
    const reply = await add({ slug: 'others-slug' })
    expect([reply.statusCode, reply.json()]).toEqual([409, SLUG_TAKEN])
  })

  test('accepts a slug for exactly one of 20 concurrent requests', async ({ api: { add } }) => {
    const replies = await Promise.all(Array.from({ length: 20 }, () => add({ slug: 'contested' })))
    const statuses = replies.map(({ statusCode }) => statusCode).sort()
    expect(statuses).toEqual([200, ...Array(19).fill(409)])
  })

  test('creates one campaign per Idempotency-Key', async ({ make, request, api: { list } }) => {
    const caller = await make.owner()
    const headers = { ...caller.headers, 'idempotency-key': 'one' }
    const options = { method: 'POST', url: '/api/campaign/add', headers, payload: {} } as const
    const first = await request(options)
    const second = await request(options)
    expect(second.json()).toEqual(first.json())
    expect((await list(caller)).result).toBe(1)
  })
})

test("GET /api/campaigns lists only the account's campaigns, newest first, in pages", async ({
  make,
  api: { remove, list },
}) => {
  const caller = await make.owner()
  const otherOwner = await make.owner()
  await expectPages({
    owner: caller,
    otherOwner,
    key: 'campaigns',
    make: make.campaign,
    remove,
    list,
  })
})

describe('PUT /api/campaign/{id}/update', () => {
  test('changes fields with values, ignores absent and null fields, and clears empty fields', async ({
    make,
    owner,
    api: { add, update, list },
  }) => {
    const { id } = await make.campaign(owner, { name: 'Old', slug: 'old', public: true })
    const createExpectedReply = (domain: string, rotator: string | false, isPublic: boolean) => ({
      error: 0,
      id,
      domain,
      public: isPublic,
      rotator,
      list: `http://brev.test/u/Anna/${id}`,
    })
    const renamed = await update(id, { name: 'New' })
    expect(renamed.statusCode).toBe(200)
    expect(renamed.json()).toEqual(createExpectedReply('New', 'http://brev.test/r/old', true))
    expect((await update(id, { name: 'New', slug: null, public: null })).json()).toEqual(
      renamed.json(),
    )
    expect((await update(id, { name: 'New', slug: 'new', public: false })).json()).toEqual(
      createExpectedReply('New', 'http://brev.test/r/new', false),
    )
    expect((await update(id, { name: 'New', slug: '' })).json()).toEqual(
      createExpectedReply('New', false, false),
    )
    expect(
      (await list()).campaigns.find((campaign: { id: number }) => campaign.id === id),
    ).toMatchObject({
      name: 'New',
      rotator: false,
    })
    // The released slug is available to others.
    expect((await add({ slug: 'old' })).statusCode).toBe(200)
  })

  test.for<Rejection>([
    [{}, 'name is required'],
    [{ name: '' }, 'name is required'],
    [{ name: null, slug: 'x' }, 'name is required'],
    ...rejections.map(([payload, message]): Rejection => [{ name: 'New', ...payload }, message]),
  ] as const)('rejects %j', async ([payload, message], { make, owner, api: { update, list } }) => {
    const { id } = await make.campaign(owner, { name: 'Kept' })
    expectRejection(await update(id, payload), message)
    expect((await list()).campaigns[0].name).toBe('Kept')
  })

  test('rejects a taken slug but accepts its own', async ({ make, owner, api: { update } }) => {
    await make.campaign(owner, { slug: 'first' })
    const { id } = await make.campaign(owner, { name: 'Second', slug: 'second' })
    const reply = await update(id, { name: 'Second', slug: 'first' })
    expect([reply.statusCode, reply.json()]).toEqual([409, SLUG_TAKEN])
    expect((await update(id, { name: 'Second', slug: 'second' })).statusCode).toBe(200)
  })
})

describe('DELETE /api/campaign/{id}/delete', () => {
  test('deletes the campaign but not its links', async ({
    app,
    make,
    owner,
    api: { send, add, remove, assign },
  }) => {
    const { id } = await make.campaign(owner, { slug: 'leaving' })
    const link = await make.link(owner)
    await assign(id, link.id)
    const reply = await remove(id)
    expect(reply.statusCode).toBe(200)
    expect(reply.json()).toEqual({ error: 0, message: 'Campaign has been deleted successfully.' })
    expect((await send('GET', `/api/url/${link.id}`)).statusCode).toBe(200)
    expect(await drawCampaignLink(app.services, app.services.db, 'leaving')).toBe(null)
    expect((await add({ slug: 'leaving' })).statusCode).toBe(200)
  })
})

test('updates and deletions with a foreign, deleted or unknown ID get identical 404 replies', async ({
  make,
  owner,
  api: { update, remove },
}) => {
  const foreign = await make.campaign(await make.owner(), { name: 'Foreign' })
  const deleted = await make.campaign(owner)
  await remove(deleted.id)
  const ids = [foreign.id, deleted.id, ...UNKNOWN_IDS]
  expectNotFound(await Promise.all(ids.flatMap((id) => [update(id, { name: 'x' }), remove(id)])))
})
