import { describe, expect } from 'vitest'
import { resourceClient } from '../support/api-client.ts'
import { testApp } from '../support/app.ts'
import { appTest } from '../support/test.ts'

const test = appTest().extend('api', { scope: 'file' }, ({ app, owner }) => {
  const { send } = resourceClient({ app, owner }, 'url')
  return { send }
})

const target = 'https://example.com/target'

describe('GET /api/urls', () => {
  test('returns pages of the account’s own links, newest first', async ({
    make,
    api: { send },
  }) => {
    const caller = await make.owner()
    const created = []
    for (let index = 0; index < 17; index += 1) created.push(await make.link(caller))
    const ids = created.map(({ id }) => id).reverse()
    const first = (await send('GET', '/api/urls', undefined, caller)).json()
    expect(first).toMatchObject({
      error: '0',
      data: { result: 17, perpage: 15, currentpage: 1, nextpage: 2, maxpage: 2 },
    })
    expect(first.data.urls.map(({ id }: { id: number }) => id)).toEqual(ids.slice(0, 15))
    expect(first.data.urls[0]).toEqual({
      id: ids[0],
      alias: created[16]?.alias,
      shorturl: created[16]?.shortUrl,
      longurl: target,
      clicks: 0,
      title: 'example.com',
      description: '',
      tags: [],
      date: expect.stringMatching(/^\d{4}-/),
    })
    const pagedIds = []
    for (let page = 1; page <= 6; page += 1) {
      const { data } = (
        await send('GET', `/api/urls?limit=3&page=${page}`, undefined, caller)
      ).json()
      expect(data).toMatchObject({ perpage: 3, nextpage: Math.min(page + 1, 6), maxpage: 6 })
      pagedIds.push(...data.urls.map(({ id }: { id: number }) => id))
    }
    expect(pagedIds).toEqual(ids)
    const pastEnd = (await send('GET', '/api/urls?page=99', undefined, caller)).json()
    expect(pastEnd.data).toEqual({
      result: 17,
      perpage: 15,
      currentpage: 99,
      nextpage: 2,
      maxpage: 2,
      urls: [],
    })
  })

  test('orders by clicks, then by date, and ignores an unknown order', async ({
    app,
    make,
    request,
    api: { send },
  }) => {
    const caller = await make.owner()
    const links: { id: number; alias: string }[] = []
    for (let index = 0; index < 5; index += 1) links.push(await make.link(caller))
    for (const [index, visits] of [2, 0, 5, 2, 0].entries()) {
      for (let visit = 0; visit < visits; visit += 1)
        await request({ url: `/${links[index]?.alias}` })
    }
    await app.importClicks()
    const expectedIds = [2, 3, 0, 4, 1].map((index) => links[index]?.id ?? 0)
    const all = (await send('GET', '/api/urls?order=click', undefined, caller)).json().data.urls
    expect(all.map(({ id }: { id: number }) => id)).toEqual(expectedIds)
    expect(all.map(({ clicks }: { clicks: number }) => clicks)).toEqual([5, 2, 2, 0, 0])
    for (let page = 1; page <= 5; page += 1) {
      const url = `/api/urls?order=click&limit=1&page=${page}`
      expect((await send('GET', url, undefined, caller)).json().data.urls[0].id).toBe(
        expectedIds[page - 1],
      )
    }
    const unordered = (await send('GET', '/api/urls?order=nonsense', undefined, caller)).json().data
      .urls
    expect(unordered[0].id).toBe(links[4]?.id)
  })

  test('caps the limit at 1000 and rejects values that are not positive integers', async ({
    api: { send },
  }) => {
    const capped = (await send('GET', '/api/urls?limit=5000')).json()
    expect(capped.data.perpage).toBe(1000)
    for (const [query, field] of [
      ['limit=0', 'limit'],
      ['limit=-1', 'limit'],
      ['limit=abc', 'limit'],
      ['limit=1.5', 'limit'],
      ['page=0', 'page'],
      ['page=1e3', 'page'],
      ['page=99999999999999999999', 'page'],
    ]) {
      const reply = await send('GET', `/api/urls?${query}`)
      expect([reply.statusCode, reply.json()]).toEqual([
        400,
        { error: 1, message: `${field} must be a positive integer` },
      ])
    }
    expect((await send('GET', '/api/urls?limit=&page=')).statusCode).toBe(200)
    expect((await send('GET', '/api/urls?page=999999999999999')).json().data.urls).toEqual([])
  })

  test('finds one link by its short URL, with its clicks', async ({
    app,
    make,
    request,
    api: { send },
  }) => {
    const caller = await make.owner()
    const link = await make.link(caller, { alias: 'märz' })
    await make.link(caller)
    await request({ url: `/${encodeURIComponent('märz')}` })
    await app.importClicks()
    for (const short of [
      'http://brev.test/m%C3%A4rz',
      'brev.test/märz',
      'https://BREV.test/märz',
      'märz',
      'm%C3%A4rz',
    ]) {
      const { data } = (
        await send('GET', `/api/urls?short=${encodeURIComponent(short)}`, undefined, caller)
      ).json()
      expect(data).toMatchObject({
        result: 1,
        maxpage: 1,
        clicks: 1,
        urls: [{ id: link.id, clicks: 1 }],
      })
    }
    for (const short of ['brev.test/none', 'other.example/märz', 'nonsense', 'brev.test/']) {
      const { data } = (await send('GET', `/api/urls?short=${short}`, undefined, caller)).json()
      expect(data).toEqual({
        result: 0,
        perpage: 15,
        currentpage: 1,
        nextpage: 1,
        maxpage: 1,
        urls: [],
      })
    }
    const foreign = await send('GET', '/api/urls?short=brev.test/märz')
    expect(foreign.json().data.urls).toEqual([])
  })
})

test('LIST_ERROR=number makes `error` the number 0 in lists', async () => {
  const appWithNumbers = await testApp({ env: { LIST_ERROR: 'number' } })
  const { headers } = await appWithNumbers.make.owner()
  const reply = await appWithNumbers.request({ url: '/api/urls', headers })
  await appWithNumbers.close()
  expect(reply.json().error).toBe(0)
})
