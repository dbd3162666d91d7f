import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestApp, testApp } from './support/app.ts'
import type { Owner } from './support/make.ts'

let t: TestApp
let owner: Owner

beforeAll(async () => {
  const file = join(tmpdir(), `brevis-pixels-${process.pid}.json`)
  await writeFile(file, JSON.stringify({ vendor01pixel: 'https://vendor.example/?id={tag}' }))
  t = await testApp({ env: { PIXELS_FILE: file } })
  owner = await t.make.owner()
})
afterAll(() => t.close())

const send = (
  method: 'POST' | 'PUT' | 'DELETE' | 'GET',
  url: string,
  payload?: object,
  by = owner,
) => t.request({ method, url, headers: by.headers, ...(payload && { payload }) })
const add = (payload: object, by = owner) => send('POST', '/api/pixel/add', payload, by)
const update = (id: number | string, payload: object, by = owner) =>
  send('PUT', `/api/pixel/${id}/update`, payload, by)
const remove = (id: number | string, by = owner) =>
  send('DELETE', `/api/pixel/${id}/delete`, undefined, by)
const list = async (by = owner, query = '') =>
  (await send('GET', `/api/pixels${query}`, undefined, by)).json().data

const TYPES = [
  ...[1, 2, 3, 4, 5, 6, 7, 8].map((number) => `vendor0${number}pixel`),
  ...['09', '10', '11', '12', '13'].map((number) => `vendor${number}`),
]
const date = expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
const valid = { type: 'vendor01pixel', name: 'Shop', tag: 'AB-1' }
const notFound = [404, { error: 1, message: 'The requested resource was not found.' }]
const typeRule = `type must be one of ${TYPES.join(', ')}`
const tagRule = 'tag must be 1 to 64 letters, digits, underscores, dots, colons or hyphens'

const nameRefusals: [fields: object, message: string][] = [
  [{ name: 5 }, 'name must be a string'],
  [{ name: [] }, 'name must be a string'],
  [{ name: ' ' }, 'name must not be empty'],
  [{ name: 'x'.repeat(201) }, 'name must not have more than 200 characters'],
  [{ name: 'a\0' }, 'name must be text without NUL characters or broken surrogates'],
]
const tagRefusals: [fields: object, message: string][] = [
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
  test.each(TYPES)('adds a pixel of type %s, which the list shows', async (type) => {
    const by = await t.make.owner()
    const reply = await add({ type, name: ' My shop ', tag: 'a_Z.0:9-' }, by)
    expect(reply.statusCode).toBe(200)
    expect(reply.json()).toEqual({ error: 0, id: expect.any(Number) })
    expect(await list(by)).toEqual({
      result: 1,
      perpage: 15,
      currentpage: 1,
      nextpage: 1,
      maxpage: 1,
      pixels: [{ id: reply.json().id, type, name: 'My shop', tag: 'a_Z.0:9-', date }],
    })
  })

  test.each<[object, string]>([
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
    ...nameRefusals,
    ...tagRefusals,
  ])('refuses %j', async (fields, message) => {
    const before = (await list()).result
    const reply = await add({ ...valid, ...fields })
    expect([reply.statusCode, reply.json()]).toEqual([400, { error: 1, message }])
    expect((await list()).result).toBe(before)
  })

  test('under the same Idempotency-Key adds one pixel', async () => {
    const by = await t.make.owner()
    const headers = { ...by.headers, 'idempotency-key': 'one' }
    const options = { method: 'POST', url: '/api/pixel/add', headers, payload: valid } as const
    const [first, second] = [await t.request(options), await t.request(options)]
    expect(second.json()).toEqual(first.json())
    expect((await list(by)).result).toBe(1)
  })
})

test('GET /api/pixels pages newest first, and shows nothing of other accounts', async () => {
  const by = await t.make.owner()
  const ids: number[] = []
  for (let i = 0; i < 5; i += 1) ids.unshift((await t.make.pixel(by)).id)
  const page = async (query: string, reader = by) => {
    const { pixels, ...counters } = await list(reader, query)
    return [counters, pixels.map(({ id }: { id: number }) => id)]
  }
  const counters = { result: 5, perpage: 2, maxpage: 3 }
  expect(await page('?limit=2')).toEqual([
    { ...counters, currentpage: 1, nextpage: 2 },
    ids.slice(0, 2),
  ])
  expect(await page('?limit=2&page=3')).toEqual([
    { ...counters, currentpage: 3, nextpage: 3 },
    ids.slice(4),
  ])
  expect(await page('?limit=2&page=4')).toEqual([{ ...counters, currentpage: 4, nextpage: 3 }, []])
  await remove(ids[4] ?? 0, by)
  expect(await page('?limit=2&page=2')).toEqual([
    { result: 4, perpage: 2, maxpage: 2, currentpage: 2, nextpage: 2 },
    ids.slice(2, 4),
  ])
  expect(await page('', await t.make.owner())).toEqual([
    { result: 0, perpage: 15, currentpage: 1, nextpage: 1, maxpage: 1 },
    [],
  ])
})

describe('PUT /api/pixel/{id}/update', () => {
  test('changes the tag, and the name where one is given; the type never', async () => {
    const by = await t.make.owner()
    const { id } = await t.make.pixel(by)
    const shown = async () => (await list(by)).pixels[0]
    const reply = await update(id, { tag: 'AB-2', type: 'vendor13' }, by)
    expect(reply.statusCode).toBe(200)
    expect(reply.json()).toEqual({ error: 0, message: 'Pixel has been updated successfully.' })
    expect(await shown()).toEqual({ id, type: 'vendor01pixel', name: 'Shop', tag: 'AB-2', date })
    for (const name of [null, '', false]) await update(id, { tag: 'AB-2', name }, by)
    expect(await shown()).toMatchObject({ name: 'Shop' })
    await update(id, { tag: 'AB-3', name: 'New' }, by)
    expect(await shown()).toMatchObject({ name: 'New', tag: 'AB-3' })
  })

  test.each([...nameRefusals, ...tagRefusals])('refuses %j', async (fields, message) => {
    const by = await t.make.owner()
    const { id } = await t.make.pixel(by)
    const reply = await update(id, { tag: 'AB-2', ...fields }, by)
    expect([reply.statusCode, reply.json()]).toEqual([400, { error: 1, message }])
    expect((await list(by)).pixels[0]).toMatchObject({ name: 'Shop', tag: 'AB-1234' })
  })

  test('reaches the visitors of links that fire it at once', async () => {
    const pixel = await t.make.pixel(owner)
    const { alias } = await t.make.link(owner, { pixels: [pixel.id] })
    const page = async () => (await t.request({ url: `/${alias}` })).body
    expect(await page()).toContain('https://vendor.example/?id=AB-1234')
    await update(pixel.id, { tag: 'CD-5678' })
    expect(await page()).toContain('https://vendor.example/?id=CD-5678')
  })
})

describe('DELETE /api/pixel/{id}/delete', () => {
  test('deletes the pixel and takes it off its links', async () => {
    const [gone, kept] = [await t.make.pixel(owner), await t.make.pixel(owner, { tag: 'KEPT' })]
    const { alias } = await t.make.link(owner, { pixels: [gone.id, kept.id] })
    const page = async () => (await t.request({ url: `/${alias}` })).body
    expect(await page()).toContain('AB-1234')
    const reply = await remove(gone.id)
    expect(reply.statusCode).toBe(200)
    expect(reply.json()).toEqual({ error: 0, message: 'Pixel has been deleted successfully.' })
    const after = await page()
    expect(after).not.toContain('AB-1234')
    expect(after).toContain('KEPT')
    await remove(kept.id)
    expect((await t.request({ url: `/${alias}` })).statusCode).toBe(302)
  })

  test('by 20 at once is done by one of them', async () => {
    const { id } = await t.make.pixel(owner)
    const replies = await Promise.all(Array.from({ length: 20 }, () => remove(id)))
    const statuses = replies.map(({ statusCode }) => statusCode).sort()
    expect(statuses).toEqual([200, ...Array(19).fill(404)])
  })
})

test('ids that are foreign, deleted or unknown are the same to the last byte', async () => {
  const by = await t.make.owner()
  const foreign = await t.make.pixel(by)
  const deleted = await t.make.pixel(owner)
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
  const replies = await Promise.all(ids.flatMap((id) => [update(id, { tag: 'x' }), remove(id)]))
  for (const reply of replies) expect([reply.statusCode, reply.json()]).toEqual(notFound)
  expect(new Set(replies.map(({ body }) => body)).size).toBe(1)
  expect((await list(by)).pixels[0]).toMatchObject({ tag: 'AB-1234' })
})
