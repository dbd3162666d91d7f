import { describe, expect } from 'vitest'
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

const PIXELS_FILE = JSON.stringify({ vendor01pixel: 'https://vendor.example/?id={tag}' })

const test = appTest({ files: { PIXELS_FILE } }).extend(
  'api',
  { scope: 'file' },
  ({ app, owner }) => {
    const { add, update, remove, list } = resourceClient({ app, owner }, 'pixel')
    return { add, list, remove, update }
  },
)

const TYPES = [
  ...[1, 2, 3, 4, 5, 6, 7, 8].map((number) => `vendor0${number}pixel`),
  ...['09', '10', '11', '12', '13'].map((number) => `vendor${number}`),
]
const date = expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
const valid = { type: 'vendor01pixel', name: 'Shop', tag: 'AB-1' }
const typeRule = `type must be one of ${TYPES.join(', ')}`
const tagRule = 'tag must be 1 to 64 letters, digits, underscores, dots, colons or hyphens'

const tagRejections: Rejection[] = [
  [{ tag: undefined }, 'tag is required'],
  [{ tag: null }, 'tag is required'],
  [{ tag: '' }, 'tag is required'],
  [{ tag: 5 }, 'tag must be a string'],
  [{ tag: {} }, 'tag must be a string'],
  [{ tag: 'a b' }, tagRule],
  [{ tag: 'täg' }, tagRule],
  [{ tag: '"><script>' }, tagRule],
  [{ tag: 'AB-1\n' }, tagRule],
  [{ tag: 'x'.repeat(65) }, tagRule],
  [{ tag: 'x'.repeat(257) }, 'tag must not have more than 256 characters'],
]

describe('POST /api/pixel/add', () => {
  test.for(TYPES)(
    'adds a pixel of type %s and lists it',
    async (type, { make, api: { add, list } }) => {
      const caller = await make.owner()
      const reply = await add({ type, name: ' My shop ', tag: 'a_Z.0:9-' }, caller)
      expect(reply.statusCode).toBe(200)
      expect(reply.json()).toEqual({ error: 0, id: expect.any(Number) })
      expect(await list(caller)).toEqual({
        result: 1,
        perpage: 15,
        currentpage: 1,
        nextpage: 1,
        maxpage: 1,
        pixels: [{ id: reply.json().id, type, name: 'My shop', tag: 'a_Z.0:9-', date }],
      })
    },
  )

  test.for<Rejection>([
    [{ type: undefined }, 'type is required'],
    [{ type: null }, 'type is required'],
    [{ type: '' }, 'type is required'],
    [{ type: 5 }, 'type must be a string'],
    [{ type: 'vendor14' }, typeRule],
    [{ type: 'VENDOR01PIXEL' }, typeRule],
    [{ type: 'vendor09pixel' }, typeRule],
    [{ name: undefined }, 'name is required'],
    [{ name: null }, 'name is required'],
    [{ name: '' }, 'name is required'],
    ...nameRejections,
    ...tagRejections,
  ] as const)('rejects %j', async ([fields, message], { api: { add, list } }) => {
    const before = (await list()).result
    expectRejection(await add({ ...valid, ...fields }), message)
    expect((await list()).result).toBe(before)
  })

  test('creates one pixel per Idempotency-Key', async ({ make, request, api: { list } }) => {
    const caller = await make.owner()
    const headers = { ...caller.headers, 'idempotency-key': 'one' }
    const options = { method: 'POST', url: '/api/pixel/add', headers, payload: valid } as const
    const first = await request(options)
    const second = await request(options)
    expect(second.json()).toEqual(first.json())
    expect((await list(caller)).result).toBe(1)
  })
})

test("GET /api/pixels lists only the account's pixels, newest first, in pages", async ({
  make,
  api: { remove, list },
}) => {
  const caller = await make.owner()
  const otherOwner = await make.owner()
  await expectPages({ owner: caller, otherOwner, key: 'pixels', make: make.pixel, remove, list })
})

describe('PUT /api/pixel/{id}/update', () => {
  test('changes the tag and, if it is given, the name, but never the type', async ({
    make,
    api: { update, list },
  }) => {
    const caller = await make.owner()
    const { id } = await make.pixel(caller)
    const readPixel = async () => (await list(caller)).pixels[0]
    const reply = await update(id, { tag: 'AB-2', type: 'vendor13' }, caller)
    expect(reply.statusCode).toBe(200)
    expect(reply.json()).toEqual({ error: 0, message: 'Pixel has been updated successfully.' })
    expect(await readPixel()).toEqual({
      id,
      type: 'vendor01pixel',
      name: 'Shop',
      tag: 'AB-2',
      date,
    })
    for (const name of [null, '', false]) await update(id, { tag: 'AB-2', name }, caller)
    expect(await readPixel()).toMatchObject({ name: 'Shop' })
    await update(id, { tag: 'AB-3', name: 'New' }, caller)
    expect(await readPixel()).toMatchObject({ name: 'New', tag: 'AB-3' })
  })

  test.for([...nameRejections, ...tagRejections] as const)(
    'rejects %j',
    async ([fields, message], { make, api: { update, list } }) => {
      const caller = await make.owner()
      const { id } = await make.pixel(caller)
      expectRejection(await update(id, { tag: 'AB-2', ...fields }, caller), message)
      expect((await list(caller)).pixels[0]).toMatchObject({ name: 'Shop', tag: 'AB-1234' })
    },
  )

  test('takes effect immediately for visitors of its links', async ({
    make,
    owner,
    request,
    api: { update },
  }) => {
    const pixel = await make.pixel(owner)
    const { alias } = await make.link(owner, { pixels: [pixel.id] })
    const getPage = async () => (await request({ url: `/${alias}` })).body
    expect(await getPage()).toContain('https://vendor.example/?id=AB-1234')
    await update(pixel.id, { tag: 'CD-5678' })
    expect(await getPage()).toContain('https://vendor.example/?id=CD-5678')
  })
})

describe('DELETE /api/pixel/{id}/delete', () => {
  test('deletes the pixel and removes it from its links', async ({
    make,
    owner,
    request,
    api: { remove },
  }) => {
    const deletedPixel = await make.pixel(owner)
    const otherPixel = await make.pixel(owner, { tag: 'KEPT' })
    const { alias } = await make.link(owner, { pixels: [deletedPixel.id, otherPixel.id] })
    const getPage = async () => (await request({ url: `/${alias}` })).body
    expect(await getPage()).toContain('AB-1234')
    const reply = await remove(deletedPixel.id)
    expect(reply.statusCode).toBe(200)
    expect(reply.json()).toEqual({ error: 0, message: 'Pixel has been deleted successfully.' })
    const after = await getPage()
    expect(after).not.toContain('AB-1234')
    expect(after).toContain('KEPT')
    await remove(otherPixel.id)
    expect((await request({ url: `/${alias}` })).statusCode).toBe(302)
  })

  test('succeeds once for 20 concurrent requests', async ({ make, owner, api: { remove } }) => {
    const { id } = await make.pixel(owner)
    const replies = await Promise.all(Array.from({ length: 20 }, () => remove(id)))
    const statuses = replies.map(({ statusCode }) => statusCode).sort()
    expect(statuses).toEqual([200, ...Array(19).fill(404)])
  })
})

test('updates and deletions with a foreign, deleted or unknown ID get identical 404 replies', async ({
  make,
  owner,
  api: { update, remove, list },
}) => {
  const caller = await make.owner()
  const foreign = await make.pixel(caller)
  const deleted = await make.pixel(owner)
  await remove(deleted.id)
  const ids = [foreign.id, deleted.id, ...UNKNOWN_IDS]
  expectNotFound(await Promise.all(ids.flatMap((id) => [update(id, { tag: 'x' }), remove(id)])))
  expect((await list(caller)).pixels[0]).toMatchObject({ tag: 'AB-1234' })
})
