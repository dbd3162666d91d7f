import { describe, expect } from 'vitest'
import { BROWSERS, LESSER_BROWSERS } from '../fixtures/browser-headers.ts'
import type { Owner } from '../support/make.ts'
import { newOwnerTest } from '../support/test.ts'

const CHROME = BROWSERS[0]?.headers['user-agent'] ?? ''

const test = newOwnerTest({ env: { TRUST_PROXY: '10.0.0.1' } })
  .extend('visit', { scope: 'file' }, ({ app }) => {
    let lastAddress = 0
    /** Visits an alias through a proxy that reports https, each time from another address. */
    return async (alias: string, headers: Record<string, string>, options = {}) => {
      lastAddress += 1
      const address = `198.51.${lastAddress >> 8}.${lastAddress & 255}`
      const reply = await app.request({
        url: `/${alias}`,
        remoteAddress: '10.0.0.1',
        headers: {
          'x-forwarded-proto': 'https',
          'x-forwarded-for': address,
          ...headers,
          host: 'brev.test',
        },
        ...options,
      })
      expect(reply.statusCode).toBe(302)
    }
  })
  .extend('read', { scope: 'file' }, ({ app }) => {
    /** Returns statistics, after an import of clicks by an importer that starts anew. */
    return async (owner: Owner, path: string) => {
      await app.importClicks()
      return (await app.request({ url: `/api${path}`, headers: owner.headers })).json().data
    }
  })

const without = (headers: Record<string, string>, isDropped: (name: string) => boolean) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !isDropped(name)))
const isFetchHeader = (name: string) => name.startsWith('sec-fetch-')
const isBrowserHeader = (name: string) => isFetchHeader(name) || name === 'accept-language'
const likely = (clicks: number) => [{ label: 'likely', clicks }]

describe('a click over https', () => {
  test('with the headers of its browser is not marked', async ({ make, owner, read, visit }) => {
    const { id, alias } = await make.link(owner)
    for (const { headers } of [...BROWSERS, ...LESSER_BROWSERS]) await visit(alias, headers)
    expect(await read(owner, `/url/${id}/stats`)).toMatchObject({
      clicks: BROWSERS.length + LESSER_BROWSERS.length,
      automated: [],
    })
  })

  test('with neither languages nor Sec-Fetch-* is counted and marked', async ({
    make,
    owner,
    read,
    visit,
  }) => {
    const { id, alias } = await make.link(owner)
    for (const { headers } of BROWSERS) {
      await visit(alias, without(headers, isBrowserHeader))
      await visit(alias, headers)
    }
    const clicks = 2 * BROWSERS.length
    const automated = likely(BROWSERS.length)
    expect(await read(owner, `/url/${id}/stats`)).toMatchObject({
      clicks,
      newVisitors: clicks,
      automated,
    })
    expect(await read(owner, '/stats')).toMatchObject({ clicks, automated })
    expect(await read(owner, `/url/${id}/stats?automated=LIKELY`)).toMatchObject({
      clicks: BROWSERS.length,
      filtered: true,
      leftOut: 0,
      automated,
    })
    expect(await read(owner, '/stats?automated=unlikely&tz=Asia/Kolkata')).toMatchObject({
      clicks: BROWSERS.length,
      automated: [],
      links: [{ id, clicks: BROWSERS.length }],
    })
    expect((await read(owner, `/url/${id}/stats?automated=likely&automated=unlikely`)).clicks).toBe(
      clicks,
    )
    expect((await read(owner, `/url/${id}`)).clicks).toBe(clicks)
  })

  test('with one of the two is not marked', async ({ make, owner, read, visit }) => {
    const { id, alias } = await make.link(owner)
    for (const { headers } of BROWSERS) {
      await visit(alias, without(headers, isFetchHeader))
      await visit(
        alias,
        without(headers, (name) => name === 'accept-language'),
      )
    }
    expect((await read(owner, `/url/${id}/stats`)).automated).toEqual([])
  })

  test('by a program that names no browser is not marked', async ({ make, owner, read, visit }) => {
    const { id, alias } = await make.link(owner)
    for (const { headers } of LESSER_BROWSERS) await visit(alias, without(headers, isBrowserHeader))
    await visit(alias, { 'user-agent': 'curl/8.5.0' })
    await visit(alias, { 'user-agent': '' })
    expect(await read(owner, `/url/${id}/stats`)).toMatchObject({
      clicks: LESSER_BROWSERS.length + 2,
      automated: [],
    })
  })

  test('is known as such only if a trusted proxy says so', async ({ make, owner, read, visit }) => {
    const { id, alias } = await make.link(owner)
    await visit(alias, { 'user-agent': CHROME, 'x-forwarded-proto': 'http' })
    await visit(alias, { 'user-agent': CHROME, 'x-forwarded-proto': '' })
    await visit(alias, { 'user-agent': CHROME }, { remoteAddress: '203.0.113.9' })
    expect(await read(owner, `/url/${id}/stats`)).toMatchObject({ clicks: 3, automated: [] })
  })
})

test('visits that do not count are never marked', async ({ make, owner, read, visit }) => {
  const { id, alias } = await make.link(owner)
  await visit(alias, { 'user-agent': CHROME }, { method: 'HEAD' })
  await visit(alias, { 'user-agent': CHROME, 'sec-purpose': 'prefetch' })
  expect(await read(owner, `/url/${id}/stats`)).toMatchObject({ clicks: 0, automated: [] })
})

test('a scan can be marked, and keeps its country and variant', async ({
  make,
  owner,
  read,
  visit,
}) => {
  const url = 'https://example.com/split'
  const { id, alias } = await make.link(owner, { url })
  const german = { 'user-agent': CHROME, 'x-forwarded-for': '194.25.0.1' }
  await visit(`${alias}?qr`, german)
  await visit(alias, { ...german, 'accept-language': 'de' })
  const statistics = await read(owner, `/url/${id}/stats?automated=likely`)
  expect(statistics).toMatchObject({
    clicks: 1,
    automated: likely(1),
    sources: [{ label: 'QR code', clicks: 1 }],
    countries: [{ label: 'Germany', clicks: 1 }],
  })
  expect(await read(owner, `/url/${id}/stats?source=QR%20code`)).toMatchObject({
    automated: likely(1),
  })
})

describe('a visitor with more than 20 clicks in a minute', () => {
  const { headers } = BROWSERS[3] ?? { headers: {} }

  test('is marked from the 21st click on, across links and restarts of the importer', async ({
    app,
    make,
    owner,
    read,
    visit,
  }) => {
    app.clock.set('2026-11-20T12:00:00Z')
    const [first, second] = [await make.link(owner), await make.link(owner)]
    const busy = { ...headers, 'x-forwarded-for': '192.0.2.81' }
    const click = async (alias: string, times: number) => {
      for (let count = 0; count < times; count += 1) await visit(alias, busy)
    }
    const day = 'from=2026-11-20&to=2026-11-20'
    await click(first.alias, 15)
    expect((await read(owner, `/stats?${day}`)).automated).toEqual([])
    await click(second.alias, 5)
    await visit(second.alias, headers)
    expect((await read(owner, `/stats?${day}`)).automated).toEqual([])
    await click(second.alias, 3)
    expect(await read(owner, `/stats?${day}`)).toMatchObject({ clicks: 24, automated: likely(3) })
    // In the minute after, all of the visitor's clicks are marked, then none.
    app.clock.advance(60)
    await click(first.alias, 2)
    expect((await read(owner, `/stats?${day}`)).automated).toEqual(likely(5))
    app.clock.advance(60)
    await click(first.alias, 2)
    expect(await read(owner, `/stats?${day}`)).toMatchObject({ clicks: 28, automated: likely(5) })
    expect((await read(owner, `/url/${first.id}/stats?${day}`)).automated).toEqual(likely(2))
    expect(await read(owner, `/stats?${day}&automated=likely`)).toMatchObject({
      clicks: 5,
      newVisitors: 0,
    })
  })

  test('is marked in a single import too', async ({ app, make, owner, read, visit }) => {
    app.clock.set('2026-11-20T13:00:00Z')
    const { id, alias } = await make.link(owner)
    for (let count = 0; count < 21; count += 1)
      await visit(alias, { ...headers, 'x-forwarded-for': '192.0.2.82' })
    expect(await read(owner, `/url/${id}/stats?from=2026-11-20&to=2026-11-20`)).toMatchObject({
      clicks: 21,
      newVisitors: 1,
      automated: likely(1),
    })
  })
})

test('GET /api/stats rejects another value of automated', async ({ app, owner }) => {
  const reply = await app.request({ url: '/api/stats?automated=maybe', headers: owner.headers })
  expect([reply.statusCode, reply.json()]).toEqual([
    400,
    { error: 1, message: 'automated must be one of likely, unlikely' },
  ])
})

test('the API description has every filter of statistics', async ({ app }) => {
  const { paths } = (await app.request({ url: '/openapi.json' })).json()
  const names = paths['/api/stats'].get.parameters.map(({ name }: { name: string }) => name)
  expect(names).toEqual(
    expect.arrayContaining([
      'country',
      'referrer',
      'browser',
      'os',
      'device',
      'language',
      'variant',
      'source',
      'automated',
    ]),
  )
})
