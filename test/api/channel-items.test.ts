import { describe, expect } from 'vitest'
import { deleteLink } from '../../src/links/link.service.ts'
import { channels } from '../../src/resources/channels.ts'
import { scopeOf } from '../../src/scope.ts'
import type { Reply } from '../support/api-client.ts'
import { channelClient } from '../support/channel-client.ts'
import { watchDays } from '../support/clock.ts'
import { expectNotFound, UNKNOWN_IDS } from '../support/rejections.ts'
import { appTest } from '../support/test.ts'

const test = appTest().extend('api', { scope: 'file' }, ({ app, owner }) => {
  const { send, update, remove, assign, getChannel, listItemNames, getRow, countItems } =
    channelClient({
      app,
      owner,
    })
  return { send, assign, getChannel, listItemNames, countItems, remove, getRow, update }
})

const assigned = { error: 0, message: 'Item has been added to the channel successfully.' }

describe('the items of a channel', () => {
  test('are links, bio pages and QR codes, most recently added first', async ({
    make,
    owner,
    request,
    api: { send, assign },
  }) => {
    const day = watchDays()
    await make.domain(owner, { domain: 'https://channel.brand.test' })
    const plainLink = await make.link(owner, { url: 'https://example.com/a' })
    const branded = await make.link(owner, {
      domain: 'channel.brand.test',
      alias: 'märz',
      metaTitle: 'March',
    })
    const bio = await make.bio(owner, { title: 'Anna', alias: 'änna' })
    const dynamic = await make.qr(owner, { name: 'Door' })
    const staticCode = await make.qr(owner, { type: 'text', data: 'x' })
    const { id } = await make.channel(owner)
    for (const [type, item] of [
      ['links', plainLink],
      ['qr', staticCode],
      ['bio', bio],
      ['qr', dynamic],
      ['links', branded],
    ] as const) {
      const reply = await assign(id, type, item.id)
      expect([reply.statusCode, reply.json()]).toEqual([200, assigned])
    }
    const reply = await send('GET', `/api/channel/${id}`)
    const date = day()
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
            id: staticCode.id,
            title: `QR code ${staticCode.id}`,
            preview: `http://brev.test/qr/${staticCode.alias}`,
            link: `http://brev.test/qr/${staticCode.alias}`,
            date,
          },
          {
            type: 'links',
            id: plainLink.id,
            title: 'example.com',
            preview: 'https://example.com/a',
            link: plainLink.shortUrl,
            date,
          },
        ],
      },
    })
    const [, { link }] = reply.json().data.items
    const visit = await request({ url: new URL(link).pathname })
    expect(visit.headers.location).toBe('https://example.com/target')
  })

  test('have correct pages and totals as items change', async ({
    make,
    owner,
    api: { send, assign, getChannel, listItemNames },
  }) => {
    const { id } = await make.channel(owner)
    const expected: string[] = []
    for (let index = 0; index < 7; index += 1) {
      const [type, item] =
        index % 2 === 0
          ? (['links', await make.link(owner)] as const)
          : (['qr', await make.qr(owner)] as const)
      await assign(id, type, item.id)
      expected.unshift(`${type} ${item.id}`)
    }
    const pages: string[] = []
    for (const page of [1, 2, 3, 4]) {
      const data = await getChannel(id, `?limit=2&page=${page}`)
      expect(data).toMatchObject({ result: 7, perpage: 2, currentpage: page, maxpage: 4 })
      expect(data.nextpage).toBe(Math.min(page + 1, 4))
      pages.push(
        ...data.items.map((item: { type: string; id: number }) => `${item.type} ${item.id}`),
      )
    }
    expect(pages).toEqual(expected)
    const [link, code] = [expected[0], expected[1]].map((name) => Number(name?.split(' ')[1]))
    await send('DELETE', `/api/url/${link}/delete`)
    await send('DELETE', `/api/qr/${code}/delete`)
    expect(await getChannel(id, '?limit=2&page=9')).toEqual({
      result: 5,
      perpage: 2,
      currentpage: 9,
      nextpage: 3,
      maxpage: 3,
      items: [],
    })
    expect(await listItemNames(id)).toEqual(expected.slice(2))
    const rejected = await send('GET', `/api/channel/${id}?limit=0`)
    expect([rejected.statusCode, rejected.json().message]).toEqual([
      400,
      'limit must be a positive integer',
    ])
  })

  test('are added once, even by concurrent requests', async ({
    make,
    owner,
    api: { assign, getChannel },
  }) => {
    const { id } = await make.channel(owner)
    const otherChannel = await make.channel(owner)
    const link = await make.link(owner)
    const replies = await Promise.all(Array.from({ length: 8 }, () => assign(id, 'links', link.id)))
    for (const reply of [...replies, await assign(id, 'links', link.id)]) {
      expect([reply.statusCode, reply.json()]).toEqual([200, assigned])
    }
    await assign(otherChannel.id, 'links', link.id)
    expect(await getChannel(id)).toMatchObject({ result: 1, items: [{ id: link.id }] })
    expect(await getChannel(otherChannel.id)).toMatchObject({ result: 1, items: [{ id: link.id }] })
  })

  test('are identified by type and ID, so the ID of a link finds no bio page or QR code', async ({
    make,
    owner,
    api: { assign, countItems },
  }) => {
    const { id } = await make.channel(owner)
    const link = await make.link(owner)
    for (const type of ['bio', 'qr']) expect((await assign(id, type, link.id)).statusCode).toBe(404)
    expect(await countItems(id)).toBe(0)
  })

  test('are not the links behind QR codes', async ({ app, make, owner, api: { assign } }) => {
    const { id } = await make.channel(owner)
    const code = await make.qr(owner)
    const row = await app.services.database.db
      .selectFrom('qr_codes')
      .select('link_id')
      .where('id', '=', code.id)
      .executeTakeFirstOrThrow()
    expect((await assign(id, 'links', row.link_id ?? 0)).statusCode).toBe(404)
  })

  test.for(['link', 'LINKS', 'campaigns', '%00', '__proto__'])(
    'cannot be %s',
    async (type, { make, owner, api: { assign } }) => {
      const { id } = await make.channel(owner)
      const link = await make.link(owner)
      const reply = await assign(id, type, link.id)
      expect([reply.statusCode, reply.json()]).toEqual([
        400,
        { error: 1, message: 'type must be one of links, bio, qr' },
      ])
    },
  )
})

test('requests with a foreign, deleted or unknown channel or item get identical 404 replies', async ({
  app,
  make,
  owner,
  api: { send, remove, assign, getRow, countItems },
}) => {
  const otherOwner = await make.owner()
  const foreign = {
    channel: await make.channel(otherOwner),
    links: await make.link(otherOwner),
    bio: await make.bio(otherOwner),
    qr: await make.qr(otherOwner),
  }
  const own = {
    channel: await make.channel(owner),
    links: await make.link(owner),
    bio: await make.bio(owner),
    qr: await make.qr(owner),
  }
  const deletedChannel = await make.channel(owner)
  await channels.remove({ ...app.services, accountId: owner.account.id }, deletedChannel.id)
  const deletedLink = await make.link(owner)
  await deleteLink(scopeOf(app.services, owner.account.id), deletedLink.id)
  const replies: Reply[] = []
  for (const id of [foreign.channel.id, deletedChannel.id, ...UNKNOWN_IDS]) {
    replies.push(
      await send('GET', `/api/channel/${id}`),
      await send('PUT', `/api/channel/${id}/update`, { name: 'stolen' }),
      await send('PUT', `/api/channel/${id}/update`, {}),
      await remove(id),
    )
    for (const type of ['links', 'bio', 'qr'] as const) {
      replies.push(await assign(id, type, own[type].id), await assign(id, type, foreign[type].id))
    }
  }
  for (const type of ['links', 'bio', 'qr'] as const) {
    for (const id of [foreign[type].id, ...UNKNOWN_IDS])
      replies.push(await assign(own.channel.id, type, id))
  }
  replies.push(await assign(own.channel.id, 'links', deletedLink.id))
  expectNotFound(replies)
  expect(await getRow(foreign.channel.id)).toMatchObject({ name: 'Spring' })
  expect(await countItems(own.channel.id)).toBe(0)
  expect(await countItems(foreign.channel.id)).toBe(0)
})

test('concurrent additions, updates and deletions leave no orphaned rows', async ({
  app,
  make,
  owner,
  api: { send, update, remove, assign, getRow, countItems },
}) => {
  for (let round = 0; round < 10; round += 1) {
    const { id } = await make.channel(owner)
    const links = await Promise.all([1, 2, 3].map(() => make.link(owner)))
    const code = await make.qr(owner)
    const replies = await Promise.all([
      ...links.map((link) => assign(id, 'links', link.id)),
      assign(id, 'qr', code.id),
      remove(id),
      send('DELETE', `/api/qr/${code.id}/delete`),
      update(id, { name: 'Summer' }),
      remove(id),
      send('GET', `/api/channel/${id}`),
    ])
    const statuses = replies.map(({ statusCode }) => statusCode)
    expect(statuses.filter((status) => status !== 200 && status !== 404)).toEqual([])
    expect([statuses[4], statuses[7]].toSorted()).toEqual([200, 404])
    expect([await getRow(id), await countItems(id)]).toEqual([undefined, 0])
    const remaining = await app.services.database.db
      .selectFrom('row_counts')
      .select(({ fn }) => fn.sum<number>('rows').as('rows'))
      .where('kind', '=', 'channel_items')
      .where('owner_id', '=', id)
      .executeTakeFirst()
    expect(Number(remaining?.rows)).toBe(0)
  }
})
