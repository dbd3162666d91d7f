import { describe, expect } from 'vitest'
import { subscribe } from '../../src/db/notify.ts'
import { qrClient } from '../support/qr-client.ts'
import { appTest } from '../support/test.ts'

const test = appTest().extend('api', { scope: 'file' }, ({ app, owner }) => {
  const { send, update, details, create, scan, follow } = qrClient({ app, owner })
  return { send, create, follow, details, scan, update }
})

const target = 'https://example.com/menu'
const timestamp = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/

describe('GET /api/qr', () => {
  test('lists pages of codes, newest first, with their scans', async ({
    app,
    make,
    api: { send, create, follow },
  }) => {
    const caller = await make.owner()
    const codes = []
    for (let index = 0; index < 7; index += 1) {
      codes.unshift(await create({ type: 'link', data: target, name: `Code ${index}` }, caller))
    }
    await create({ type: 'text', data: 'of another account' })
    await follow(codes[0]?.link ?? '')
    await app.importClicks()
    const first = (await send('GET', '/api/qr?limit=3', undefined, caller)).json()
    expect(first).toEqual({
      error: '0',
      data: {
        result: 7,
        perpage: 3,
        currentpage: 1,
        nextpage: 2,
        maxpage: 3,
        qrs: codes.slice(0, 3).map(({ id, link }, index) => ({
          id,
          link,
          scans: index === 0 ? 1 : 0,
          name: `Code ${6 - index}`,
          date: expect.stringMatching(timestamp),
        })),
      },
    })
    const ids = []
    for (const page of [1, 2, 3]) {
      const { data } = (await send('GET', `/api/qr?limit=3&page=${page}`, undefined, caller)).json()
      ids.push(...data.qrs.map(({ id }: { id: number }) => id))
    }
    expect(ids).toEqual(codes.map(({ id }) => id))
    await send('DELETE', `/api/qr/${ids[0]}/delete`, undefined, caller)
    const pastEnd = (await send('GET', '/api/qr?limit=3&page=9', undefined, caller)).json()
    expect(pastEnd.data).toEqual({
      result: 6,
      perpage: 3,
      currentpage: 9,
      nextpage: 2,
      maxpage: 2,
      qrs: [],
    })
    expect((await send('GET', '/api/qr?limit=x')).json().message).toMatch(/^limit must be/)
  })
})

describe('a dynamic code', () => {
  test('counts its scans', async ({ app, request, api: { details, create, scan } }) => {
    const { id, link } = await create({ type: 'link', data: target })
    const { pathname } = new URL((await scan(link)) ?? '')
    const headers = { 'user-agent': 'Mozilla/5.0 (Windows NT 10.0) Chrome/130.0 Safari/537.36' }
    await request({ url: pathname, headers })
    await request({
      url: pathname,
      headers: { ...headers, referer: 'https://www.facebook.com/' },
    })
    await request({ url: pathname, headers, remoteAddress: '203.0.113.8' })
    await request({ url: pathname, method: 'HEAD', headers })
    await app.importClicks()
    const reply = await details(id)
    expect(reply.details.scans).toBe(3)
    expect(reply.data).toMatchObject({
      clicks: 3,
      uniqueClicks: 2,
      topReferrers: { 'Direct, email and other': '2', 'facebook.com': '1' },
      socialCount: { facebook: 1, twitter: 0, instagram: 0 },
    })
  })

  test('keeps its image and its scans when its destination changes', async ({
    app,
    api: { update, details, create, scan, follow },
  }) => {
    const { id, link } = await create({ type: 'link', data: target })
    const before = await scan(link)
    expect((await follow(link)).headers.location).toBe(target)
    const reply = await update(id, { data: 'https://example.com/other' })
    expect([reply.statusCode, reply.json()]).toEqual([
      200,
      { error: 0, message: 'QR code has been updated successfully.' },
    ])
    expect(await scan(link)).toBe(before)
    expect((await follow(link)).headers.location).toBe('https://example.com/other')
    await app.importClicks()
    expect((await details(id)).details.scans).toBe(2)
  })

  test('notifies other processes of a new destination or type', async ({
    app,
    api: { update, create, scan },
  }) => {
    const { id, link } = await create({ type: 'link', data: target })
    const alias = new URL((await scan(link)) ?? '').pathname.slice(1)
    const changes: string[] = []
    const subscription = subscribe({
      url: app.databaseUrl,
      db: app.services.db,
      onChange: (change) => changes.push(JSON.stringify(change)),
      onLost: () => {},
      onRestored: () => {},
    })
    await expect.poll(() => subscription.connected).toBe(true)
    const change = JSON.stringify({ kind: 'link', domainId: null, alias })
    await update(id, { data: 'https://example.com/other' })
    await expect.poll(() => changes).toEqual([change])
    await update(id, { type: 'text', data: 'static' })
    await expect.poll(() => changes).toEqual([change, change])
    await subscription.close()
  })

  test('cannot be its own destination', async ({ api: { update, create, scan, follow } }) => {
    const { id, link } = await create({ type: 'link', data: target })
    const reply = await update(id, { data: await scan(link) })
    expect([reply.statusCode, reply.json().message]).toEqual([
      400,
      'data must not be the URL in another QR code',
    ])
    expect((await follow(link)).headers.location).toBe(target)
  })
})
