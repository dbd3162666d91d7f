import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestApp, testApp } from './support/app.ts'
import type { Owner } from './support/make.ts'

let t: TestApp
let owner: Owner

beforeAll(async () => {
  t = await testApp()
  owner = await t.make.owner()
})
afterAll(() => t.close())

const send = (
  method: 'POST' | 'PUT' | 'DELETE' | 'GET',
  url: string,
  payload?: object,
  by = owner,
) => t.request({ method, url, headers: by.headers, ...(payload && { payload }) })
const add = (payload: object, by = owner) => send('POST', '/api/channel/add', payload, by)
const update = (id: number, payload: object, by = owner) =>
  send('PUT', `/api/channel/${id}/update`, payload, by)
const assign = (channel: number | string, type: string, item: number | string, by = owner) =>
  send('POST', `/api/channel/${channel}/assign/${type}/${item}`, undefined, by)
const itemsOf = async (id: number, query = '', by = owner) =>
  (await send('GET', `/api/channel/${id}${query}`, undefined, by)).json().data
const namesOf = async (id: number) =>
  (await itemsOf(id)).items.map((item: { type: string; id: number }) => `${item.type} ${item.id}`)
const rowOf = (id: number) =>
  t.services.database.db.selectFrom('channels').selectAll().where('id', '=', id).executeTakeFirst()
const countItems = async (id: number) => {
  const { db } = t.services.database
  const rows = await db
    .selectFrom('channel_items')
    .select('id')
    .where('channel_id', '=', id)
    .execute()
  return rows.length
}

const assigned = { error: 0, message: 'Item has been added to the channel successfully.' }

describe('POST /api/channel/add', () => {
  test('makes a channel of a name alone', async () => {
    const reply = await add({ name: ' Spring ', unknown: 'ignored' })
    const { id } = reply.json()
    const channel = { id, name: 'Spring', description: '', color: '', starred: false }
    expect([reply.statusCode, reply.json()]).toEqual([200, { error: 0, ...channel }])
    expect(id).toBeGreaterThan(0)
    expect(await rowOf(id)).toMatchObject({ ...channel, account_id: owner.account.id })
    expect(await itemsOf(id)).toEqual({
      result: 0,
      perpage: 15,
      currentpage: 1,
      nextpage: 1,
      maxpage: 1,
      items: [],
    })
  })

  test.each(['#fff', '#00FF7f'])('takes every field, the colour as %s', async (color) => {
    const fields = { name: 'Spring', description: 'All of it', color, starred: true }
    const reply = await add(fields)
    expect(reply.json()).toEqual({ error: 0, id: expect.any(Number), ...fields })
    expect(await rowOf(reply.json().id)).toMatchObject(fields)
  })

  test('treats null, "" and false in optional fields as absent', async () => {
    for (const nothing of [null, '', false]) {
      const reply = await add({
        name: 'x',
        description: nothing,
        color: nothing,
        starred: nothing,
      })
      expect(reply.json()).toMatchObject({ error: 0, description: '', color: '', starred: false })
    }
  })

  const color = 'color must be a color in the form #RGB or #RRGGBB'
  test.each([
    [{}, 'name is required'],
    [{ name: '' }, 'name is required'],
    [{ name: null }, 'name is required'],
    [{ name: '  ' }, 'name must not be empty'],
    [{ name: 5 }, 'name must be a string'],
    [{ name: 'n'.repeat(201) }, 'name must not have more than 200 characters'],
    [{ name: '\u0000' }, 'name must be text without NUL characters or broken surrogates'],
    [{ name: 'x', description: [] }, 'description must be a string'],
    [
      { name: 'x', description: 'd'.repeat(2001) },
      'description must not have more than 2000 characters',
    ],
    [
      { name: 'x', description: '\ud800' },
      'description must be text without NUL characters or broken surrogates',
    ],
    [{ name: 'x', color: 'red' }, color],
    [{ name: 'x', color: '#ffff' }, color],
    [{ name: 'x', color: 'fff' }, color],
    [{ name: 'x', color: '#ggg' }, color],
    [{ name: 'x', color: '#fff\n' }, color],
    [{ name: 'x', color: 7 }, 'color must be a string'],
    [{ name: 'x', color: 'c'.repeat(33) }, 'color must not have more than 32 characters'],
    [{ name: 'x', starred: 'true' }, 'starred must be a boolean'],
    [{ name: 'x', starred: 1 }, 'starred must be a boolean'],
  ])('refuses %j', async (payload, message) => {
    const before = (await send('GET', '/api/channels')).body
    const reply = await add(payload)
    expect([reply.statusCode, reply.json()]).toEqual([400, { error: 1, message }])
    expect((await send('GET', '/api/channels')).body).toBe(before)
  })

  test('is done once for one Idempotency-Key', async () => {
    const headers = { ...owner.headers, 'idempotency-key': 'channel' }
    const request = { method: 'POST', url: '/api/channel/add', headers } as const
    const first = await t.request({ ...request, payload: { name: 'once' } })
    const again = await t.request({ ...request, payload: { name: 'once' } })
    expect(again.body).toBe(first.body)
  })
})

test('GET /api/channels lists pages of channels, newest first', async () => {
  const by = await t.make.owner()
  const channels = []
  for (let index = 0; index < 7; index += 1) {
    channels.unshift(await t.make.channel(by, { name: `Channel ${index}`, color: '#123' }))
  }
  await t.make.channel(owner)
  const first = (await send('GET', '/api/channels?limit=3', undefined, by)).json()
  expect(first).toEqual({
    error: '0',
    data: {
      result: 7,
      perpage: 3,
      currentpage: 1,
      nextpage: 2,
      maxpage: 3,
      channels: channels.slice(0, 3),
    },
  })
  const pages = []
  for (const page of [1, 2, 3]) {
    const { data } = (await send('GET', `/api/channels?limit=3&page=${page}`, undefined, by)).json()
    pages.push(...data.channels)
  }
  expect(pages).toEqual(channels)
  await send('DELETE', `/api/channel/${channels[0]?.id}/delete`, undefined, by)
  const past = (await send('GET', '/api/channels?page=9', undefined, by)).json()
  expect(past.data).toEqual({
    result: 6,
    perpage: 15,
    currentpage: 9,
    nextpage: 1,
    maxpage: 1,
    channels: [],
  })
  expect((await send('GET', '/api/channels?page=0')).json().message).toMatch(/^page must be/)
})

describe('the items of a channel', () => {
  test('are links, bio pages and QR codes, the last assigned first', async () => {
    await t.make.domain(owner, { domain: 'https://channel.brand.test' })
    const plain = await t.make.link(owner, { url: 'https://example.com/a' })
    const branded = await t.make.link(owner, {
      domain: 'channel.brand.test',
      custom: 'märz',
      metatitle: 'March',
    })
    const bio = await t.make.bio(owner, { title: 'Anna', alias: 'änna' })
    const dynamic = await t.make.qr(owner, { name: 'Door' })
    const fixed = await t.make.qr(owner, { type: 'text', data: 'x' })
    const { id } = await t.make.channel(owner)
    for (const [type, item] of [
      ['links', plain],
      ['qr', fixed],
      ['bio', bio],
      ['qr', dynamic],
      ['links', branded],
    ] as const) {
      const reply = await assign(id, type, item.id)
      expect([reply.statusCode, reply.json()]).toEqual([200, assigned])
    }
    const reply = await send('GET', `/api/channel/${id}`)
    const date = new Date().toISOString().slice(0, 10)
    expect(reply.json()).toEqual({
      error: '0',
      data: {
        result: 5,
        perpage: 15,
        currentpage: 1,
        nextpage: 1,
        maxpage: 1,
        items: [
          {
            type: 'links',
            id: branded.id,
            title: 'March',
            preview: 'https://example.com/target',
            link: 'https://channel.brand.test/m%C3%A4rz',
            date,
          },
          {
            type: 'qr',
            id: dynamic.id,
            title: 'Door',
            preview: `http://brev.test/qr/${dynamic.alias}`,
            link: expect.stringMatching(/^http:\/\/brev\.test\/[A-Za-z2-9]{7}$/),
            date,
          },
          {
            type: 'bio',
            id: bio.id,
            title: 'Anna',
            preview: 'http://brev.test/b/%C3%A4nna',
            link: 'http://brev.test/b/%C3%A4nna',
            date,
          },
          {
            type: 'qr',
            id: fixed.id,
            title: `QR code ${fixed.id}`,
            preview: `http://brev.test/qr/${fixed.alias}`,
            link: `http://brev.test/qr/${fixed.alias}`,
            date,
          },
          {
            type: 'links',
            id: plain.id,
            title: 'example.com',
            preview: 'https://example.com/a',
            link: plain.shortUrl,
            date,
          },
        ],
      },
    })
    const [, { link }] = reply.json().data.items
    const visit = await t.request({ url: new URL(link).pathname })
    expect(visit.headers.location).toBe('https://example.com/target')
  })

  test('come in pages, and stay counted when they come and go', async () => {
    const { id } = await t.make.channel(owner)
    const wanted: string[] = []
    for (let index = 0; index < 7; index += 1) {
      const [type, item] =
        index % 2 === 0
          ? (['links', await t.make.link(owner)] as const)
          : (['qr', await t.make.qr(owner)] as const)
      await assign(id, type, item.id)
      wanted.unshift(`${type} ${item.id}`)
    }
    const pages: string[] = []
    for (const page of [1, 2, 3, 4]) {
      const data = await itemsOf(id, `?limit=2&page=${page}`)
      expect(data).toMatchObject({ result: 7, perpage: 2, currentpage: page, maxpage: 4 })
      expect(data.nextpage).toBe(Math.min(page + 1, 4))
      pages.push(
        ...data.items.map((item: { type: string; id: number }) => `${item.type} ${item.id}`),
      )
    }
    expect(pages).toEqual(wanted)
    const [link, code] = [wanted[0], wanted[1]].map((name) => Number(name?.split(' ')[1]))
    await send('DELETE', `/api/url/${link}/delete`)
    await send('DELETE', `/api/qr/${code}/delete`)
    expect(await itemsOf(id, '?limit=2&page=9')).toEqual({
      result: 5,
      perpage: 2,
      currentpage: 9,
      nextpage: 3,
      maxpage: 3,
      items: [],
    })
    expect(await namesOf(id)).toEqual(wanted.slice(2))
    const refused = await send('GET', `/api/channel/${id}?limit=0`)
    expect([refused.statusCode, refused.json().message]).toEqual([
      400,
      'limit must be a positive integer',
    ])
  })

  test('are there once however often they are assigned, also at the same moment', async () => {
    const { id } = await t.make.channel(owner)
    const other = await t.make.channel(owner)
    const link = await t.make.link(owner)
    const replies = await Promise.all(Array.from({ length: 8 }, () => assign(id, 'links', link.id)))
    for (const reply of [...replies, await assign(id, 'links', link.id)]) {
      expect([reply.statusCode, reply.json()]).toEqual([200, assigned])
    }
    await assign(other.id, 'links', link.id)
    expect(await itemsOf(id)).toMatchObject({ result: 1, items: [{ id: link.id }] })
    expect(await itemsOf(other.id)).toMatchObject({ result: 1, items: [{ id: link.id }] })
  })

  test('of one type may have the ids of another', async () => {
    const { id } = await t.make.channel(owner)
    const link = await t.make.link(owner)
    for (const type of ['bio', 'qr']) expect((await assign(id, type, link.id)).statusCode).toBe(404)
    expect(await countItems(id)).toBe(0)
  })

  test('are not the links behind QR codes', async () => {
    const { id } = await t.make.channel(owner)
    const code = await t.make.qr(owner)
    const row = await t.services.database.db
      .selectFrom('qr_codes')
      .select('link_id')
      .where('id', '=', code.id)
      .executeTakeFirstOrThrow()
    expect((await assign(id, 'links', row.link_id ?? 0)).statusCode).toBe(404)
  })

  test.each(['link', 'LINKS', 'campaigns', '%00', '__proto__'])('are no %s', async (type) => {
    const { id } = await t.make.channel(owner)
    const link = await t.make.link(owner)
    const reply = await assign(id, type, link.id)
    expect([reply.statusCode, reply.json()]).toEqual([
      400,
      { error: 1, message: 'type must be one of links, bio, qr' },
    ])
  })
})

describe('PUT /api/channel/{id}/update', () => {
  const before = { name: 'Spring', description: 'All', color: '#abc', starred: true }
  const message = 'Channel has been updated successfully.'

  test.each([
    [{ name: 'Summer' }, { name: 'Summer' }],
    [{ description: 'None' }, { description: 'None' }],
    [{ color: '#001122' }, { color: '#001122' }],
    [{ starred: false }, { starred: false }],
    [{}, {}],
    [{ name: null, description: null, color: null, starred: null }, {}],
    [{ name: false, description: false, color: false }, {}],
    [
      { description: '', color: '', starred: '' },
      { description: '', color: '', starred: false },
    ],
    [
      { name: 'All new', description: 'd', color: '#fff', starred: false, id: 1, account_id: 1 },
      { name: 'All new', description: 'd', color: '#fff', starred: false },
    ],
  ])('by %j changes %j alone', async (payload, changed) => {
    const { id } = await t.make.channel(owner, before)
    const after = { id, ...before, ...changed }
    const reply = await update(id, payload)
    expect([reply.statusCode, reply.json()]).toEqual([200, { error: 0, message, ...after }])
    expect(await rowOf(id)).toMatchObject({ ...after, account_id: owner.account.id })
  })

  test.each([
    [{ name: '' }, 'name must not be empty'],
    [{ name: ' ' }, 'name must not be empty'],
    [{ name: {} }, 'name must be a string'],
    [{ name: 'n'.repeat(201) }, 'name must not have more than 200 characters'],
    [{ description: 5 }, 'description must be a string'],
    [{ description: 'd'.repeat(2001) }, 'description must not have more than 2000 characters'],
    [{ color: 'rgb(1,2,3)' }, 'color must be a color in the form #RGB or #RRGGBB'],
    [{ color: true }, 'color must be a string'],
    [{ starred: 'yes' }, 'starred must be a boolean'],
    [{ name: 'Fine', color: 'x' }, 'color must be a color in the form #RGB or #RRGGBB'],
  ])('refuses %j', async (payload, problem) => {
    const { id } = await t.make.channel(owner, before)
    const reply = await update(id, payload)
    expect([reply.statusCode, reply.json()]).toEqual([400, { error: 1, message: problem }])
    expect(await rowOf(id)).toMatchObject(before)
  })

  test('refuses what is no object', async () => {
    const { id } = await t.make.channel(owner, before)
    const reply = await update(id, [{ name: 'x' }])
    expect([reply.statusCode, reply.json().message]).toEqual([
      400,
      'The request body must be a JSON object.',
    ])
  })
})

test('DELETE /api/channel/{id}/delete takes everything out of the channel and deletes nothing else', async () => {
  const { id } = await t.make.channel(owner)
  const other = await t.make.channel(owner)
  const link = await t.make.link(owner)
  const code = await t.make.qr(owner)
  for (const channel of [id, other.id]) {
    await assign(channel, 'links', link.id)
    await assign(channel, 'qr', code.id)
  }
  const reply = await send('DELETE', `/api/channel/${id}/delete`)
  expect([reply.statusCode, reply.json()]).toEqual([
    200,
    { error: 0, message: 'Channel has been deleted successfully.' },
  ])
  expect([await rowOf(id), await countItems(id)]).toEqual([undefined, 0])
  expect(await namesOf(other.id)).toEqual([`qr ${code.id}`, `links ${link.id}`])
  expect((await send('GET', `/api/url/${link.id}`)).statusCode).toBe(200)
  expect((await send('GET', `/api/qr/${code.id}`)).statusCode).toBe(200)
})

test('channels and items of another account, deleted ones and unknown ones are the same 404', async () => {
  const other = await t.make.owner()
  const foreign = {
    channel: await t.make.channel(other),
    links: await t.make.link(other),
    bio: await t.make.bio(other),
    qr: await t.make.qr(other),
  }
  const own = {
    channel: await t.make.channel(owner),
    links: await t.make.link(owner),
    bio: await t.make.bio(owner),
    qr: await t.make.qr(owner),
  }
  const gone = await t.make.channel(owner)
  await t.services.channels.delete(owner.account.id, gone.id)
  const goneLink = await t.make.link(owner)
  await t.services.links.delete(owner.account.id, goneLink.id)
  const nowhere = [987_654_321, 0, -1, 1.5, 'x', '9007199254740993']

  const replies = []
  for (const id of [foreign.channel.id, gone.id, ...nowhere]) {
    replies.push(
      await send('GET', `/api/channel/${id}`),
      await send('PUT', `/api/channel/${id}/update`, { name: 'stolen' }),
      await send('PUT', `/api/channel/${id}/update`, {}),
      await send('DELETE', `/api/channel/${id}/delete`),
    )
    for (const type of ['links', 'bio', 'qr'] as const) {
      replies.push(await assign(id, type, own[type].id), await assign(id, type, foreign[type].id))
    }
  }
  for (const type of ['links', 'bio', 'qr'] as const) {
    for (const id of [foreign[type].id, ...nowhere])
      replies.push(await assign(own.channel.id, type, id))
  }
  replies.push(await assign(own.channel.id, 'links', goneLink.id))
  for (const reply of replies) expect(reply.statusCode).toBe(404)
  expect(new Set(replies.map(({ body }) => body)).size).toBe(1)
  expect(await rowOf(foreign.channel.id)).toMatchObject({ name: 'Spring' })
  expect(await countItems(own.channel.id)).toBe(0)
  expect(await countItems(foreign.channel.id)).toBe(0)
})

test('assignments, updates and deletions that meet leave nothing behind', async () => {
  for (let round = 0; round < 10; round += 1) {
    const { id } = await t.make.channel(owner)
    const links = await Promise.all([1, 2, 3].map(() => t.make.link(owner)))
    const code = await t.make.qr(owner)
    const replies = await Promise.all([
      ...links.map((link) => assign(id, 'links', link.id)),
      assign(id, 'qr', code.id),
      send('DELETE', `/api/channel/${id}/delete`),
      send('DELETE', `/api/qr/${code.id}/delete`),
      update(id, { name: 'Summer' }),
      send('DELETE', `/api/channel/${id}/delete`),
      send('GET', `/api/channel/${id}`),
    ])
    const statuses = replies.map(({ statusCode }) => statusCode)
    expect(statuses.filter((status) => status !== 200 && status !== 404)).toEqual([])
    expect([statuses[4], statuses[7]].toSorted()).toEqual([200, 404])
    expect([await rowOf(id), await countItems(id)]).toEqual([undefined, 0])
    const left = await t.services.database.db
      .selectFrom('row_counts')
      .select(({ fn }) => fn.sum<number>('rows').as('rows'))
      .where('kind', '=', 'channel_items')
      .where('owner_id', '=', id)
      .executeTakeFirst()
    expect(Number(left?.rows)).toBe(0)
  }
})
