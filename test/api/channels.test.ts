import { describe, expect } from 'vitest'
import { channelClient } from '../support/channel-client.ts'
import { expectPages } from '../support/paging.ts'
import { expectRejection } from '../support/rejections.ts'
import { appTest } from '../support/test.ts'

const test = appTest().extend('api', { scope: 'file' }, ({ app, owner }) => {
  const { send, add, update, remove, assign, getChannel, listItemNames, getRow, countItems, list } =
    channelClient({ app, owner })
  return { remove, list, send, update, getRow, assign, listItemNames, countItems, add, getChannel }
})

describe('POST /api/channel/add', () => {
  test('creates a channel from just a name', async ({
    owner,
    api: { add, getChannel, getRow },
  }) => {
    const reply = await add({ name: ' Spring ', unknown: 'ignored' })
    const { id } = reply.json()
    const channel = { id, name: 'Spring', description: '', color: '', starred: false }
    expect([reply.statusCode, reply.json()]).toEqual([200, { error: 0, ...channel }])
    expect(id).toBeGreaterThan(0)
    expect(await getRow(id)).toMatchObject({ ...channel, account_id: owner.account.id })
    expect(await getChannel(id)).toEqual({
      result: 0,
      perpage: 15,
      currentpage: 1,
      nextpage: 1,
      maxpage: 1,
      items: [],
    })
  })

  test.for(['#fff', '#00FF7f'])(
    'accepts every field, with the color %s',
    async (color, { api: { add, getRow } }) => {
      const fields = { name: 'Spring', description: 'All of it', color, starred: true }
      const reply = await add(fields)
      expect(reply.json()).toEqual({ error: 0, id: expect.any(Number), ...fields })
      expect(await getRow(reply.json().id)).toMatchObject(fields)
    },
  )

  test('treats null, "" and false in optional fields as absent', async ({ api: { add } }) => {
    for (const emptyValue of [null, '', false]) {
      const reply = await add({
        name: 'x',
        description: emptyValue,
        color: emptyValue,
        starred: emptyValue,
      })
      expect(reply.json()).toMatchObject({ error: 0, description: '', color: '', starred: false })
    }
  })

  const color = 'color must be a color in the form #RGB or #RRGGBB'
  test.for([
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
  ] as const)('rejects %j', async ([payload, message], { api: { send, add } }) => {
    const before = (await send('GET', '/api/channels')).body
    expectRejection(await add(payload), message)
    expect((await send('GET', '/api/channels')).body).toBe(before)
  })

  test('creates one channel per Idempotency-Key', async ({ app, make, api: { list } }) => {
    const owner = await make.owner()
    const headers = { ...owner.headers, 'idempotency-key': 'channel' }
    const request = { method: 'POST', url: '/api/channel/add', headers } as const
    const first = await app.request({ ...request, payload: { name: 'once' } })
    const again = await app.request({ ...request, payload: { name: 'once' } })
    expect(again.body).toBe(first.body)
    expect((await list(owner)).result).toBe(1)
  })
})

test("GET /api/channels returns correct pages of only the account's channels", async ({
  make,
  api: { remove, list },
}) => {
  const caller = await make.owner()
  const otherOwner = await make.owner()
  await expectPages({
    owner: caller,
    otherOwner,
    key: 'channels',
    make: make.channel,
    remove,
    list,
  })
})

test('GET /api/channels lists pages of channels, newest first', async ({
  make,
  owner,
  api: { send },
}) => {
  const caller = await make.owner()
  const channels = []
  for (let index = 0; index < 7; index += 1) {
    const input = { name: `Channel ${index}`, color: '#123' }
    const { createdAt: _, ...channel } = await make.channel(caller, input)
    channels.unshift(channel)
  }
  await make.channel(owner)
  const first = (await send('GET', '/api/channels?limit=3', undefined, caller)).json()
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
    const { data } = (
      await send('GET', `/api/channels?limit=3&page=${page}`, undefined, caller)
    ).json()
    pages.push(...data.channels)
  }
  expect(pages).toEqual(channels)
  await send('DELETE', `/api/channel/${channels[0]?.id}/delete`, undefined, caller)
  const pastEnd = (await send('GET', '/api/channels?page=9', undefined, caller)).json()
  expect(pastEnd.data).toEqual({
    result: 6,
    perpage: 15,
    currentpage: 9,
    nextpage: 1,
    maxpage: 1,
    channels: [],
  })
  expect((await send('GET', '/api/channels?page=0')).json().message).toMatch(/^page must be/)
})

describe('PUT /api/channel/{id}/update', () => {
  const before = { name: 'Spring', description: 'All', color: '#abc', starred: true }
  const message = 'Channel has been updated successfully.'

  test.for([
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
  ] as const)(
    'with %j changes only %j',
    async ([payload, changed], { make, owner, api: { update, getRow } }) => {
      const { id } = await make.channel(owner, before)
      const after = { id, ...before, ...changed }
      const reply = await update(id, payload)
      expect([reply.statusCode, reply.json()]).toEqual([200, { error: 0, message, ...after }])
      expect(await getRow(id)).toMatchObject({ ...after, account_id: owner.account.id })
    },
  )

  test.for([
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
  ] as const)(
    'rejects %j',
    async ([payload, problem], { make, owner, api: { update, getRow } }) => {
      const { id } = await make.channel(owner, before)
      const reply = await update(id, payload)
      expectRejection(reply, problem)
      expect(await getRow(id)).toMatchObject(before)
    },
  )

  test('rejects a body that is not an object', async ({ make, owner, api: { update } }) => {
    const { id } = await make.channel(owner, before)
    const reply = await update(id, [{ name: 'x' }])
    expect([reply.statusCode, reply.json().message]).toEqual([
      400,
      'The request body must be a JSON object.',
    ])
  })
})

test('DELETE /api/channel/{id}/delete deletes only the channel, not its items', async ({
  make,
  owner,
  api: { send, remove, assign, listItemNames, getRow, countItems },
}) => {
  const { id } = await make.channel(owner)
  const otherChannel = await make.channel(owner)
  const link = await make.link(owner)
  const code = await make.qr(owner)
  for (const channel of [id, otherChannel.id]) {
    await assign(channel, 'links', link.id)
    await assign(channel, 'qr', code.id)
  }
  const reply = await remove(id)
  expect([reply.statusCode, reply.json()]).toEqual([
    200,
    { error: 0, message: 'Channel has been deleted successfully.' },
  ])
  expect([await getRow(id), await countItems(id)]).toEqual([undefined, 0])
  expect(await listItemNames(otherChannel.id)).toEqual([`qr ${code.id}`, `links ${link.id}`])
  expect((await send('GET', `/api/url/${link.id}`)).statusCode).toBe(200)
  expect((await send('GET', `/api/qr/${code.id}`)).statusCode).toBe(200)
})
