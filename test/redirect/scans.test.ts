import { describe, expect } from 'vitest'
import { updateDomain } from '../../src/domains/domain.service.ts'
import { getQrCode } from '../../src/qr/qr.service.ts'
import { scopeOf } from '../../src/scope.ts'
import type { Owner } from '../support/make.ts'
import { appTest } from '../support/test.ts'
import { createTransferCommands } from '../support/transfer.ts'

const url = 'https://example.com/base'
const DIRECT = 'Direct, email and other'

const test = appTest()
  .extend('visit', { scope: 'file' }, ({ request }) => {
    /** Returns the location of a redirect, or else the status. */
    return async (path: string, options: { headers?: object; [name: string]: unknown } = {}) => {
      const headers = { host: 'brev.test', ...options.headers }
      const reply = await request({ url: path, ...options, headers })
      return reply.headers.location ?? reply.statusCode
    }
  })
  .extend('read', { scope: 'file' }, ({ app, request }) => {
    /** Returns the data of a path of the API, after an import of clicks. */
    return async (owner: Owner, path: string) => {
      await app.importClicks()
      return (await request({ url: `/api${path}`, headers: owner.headers })).json().data
    }
  })

const postForm = (fields: Record<string, string>) => ({
  method: 'POST',
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  payload: new URLSearchParams(fields).toString(),
})

describe('the marker of scans', () => {
  test('counts a visit as a scan, once, beside other clicks', async ({
    app,
    make,
    read,
    visit,
  }) => {
    const owner = await make.owner()
    const { id, alias } = await make.link(owner, { url })
    const other = await make.link(owner)
    for (const path of [`/${alias}?qr`, `/${alias}?qr`, `/${alias}?a=1&qr`, `/${alias}`]) {
      expect(await visit(path)).toBe(url)
    }
    await visit(`/${other.alias}`)
    const sources = [{ label: 'QR code', clicks: 3 }]
    const statistics = await read(owner, `/url/${id}/stats`)
    expect(statistics).toMatchObject({
      clicks: 4,
      sources,
      referrers: [{ label: DIRECT, clicks: 4 }],
    })
    expect((await read(owner, `/url/${other.id}/stats`)).sources).toEqual([])
    expect(await read(owner, '/stats')).toMatchObject({ clicks: 5, sources })
    const scans = await read(owner, `/url/${id}/stats?source=QR%20code`)
    expect(scans).toMatchObject({ clicks: 3, filtered: true, leftOut: 0, sources })
    expect(await read(owner, '/stats?source=qr%20CODE&tz=Europe/Berlin')).toMatchObject({
      clicks: 3,
      links: [{ id, clicks: 3 }],
    })
    expect(await createTransferCommands(app, owner).check()).toContain('agree')
  })

  test('of HEAD requests, prefetches and crawlers is not counted', async ({
    make,
    read,
    visit,
  }) => {
    const owner = await make.owner()
    const { id, alias } = await make.link(owner, { url })
    expect(await visit(`/${alias}?qr`, { method: 'HEAD' })).toBe(url)
    await visit(`/${alias}?qr`, { headers: { 'sec-purpose': 'prefetch' } })
    await visit(`/${alias}?qr`, { headers: { 'user-agent': 'Googlebot/2.1' } })
    expect(await read(owner, `/url/${id}/stats`)).toMatchObject({ clicks: 0, sources: [] })
  })

  test('never reaches a destination, not even of links that forward queries and paths', async ({
    make,
    read,
    visit,
  }) => {
    const owner = await make.owner()
    const { id, alias } = await make.link(owner, {
      url: `${url}?own=1#f`,
      forwardQuery: true,
      forwardPath: true,
    })
    for (const [path, destination] of [
      ['?qr', `${url}?own=1#f`],
      ['?qr&a=1', `${url}?own=1&a=1#f`],
      ['?a=1&qr&b=2', `${url}?own=1&a=1&b=2#f`],
      ['?a=1&qr&qr', `${url}?own=1&a=1#f`],
      ['/any/thing?qr', `${url}/any/thing?own=1#f`],
    ]) {
      expect(await visit(`/${alias}${path}`)).toBe(destination)
    }
    expect((await read(owner, `/url/${id}/stats`)).sources).toEqual([
      { label: 'QR code', clicks: 5 },
    ])
  })

  test('leaves other parameters of that name, paths, aliases and destinations alone', async ({
    make,
    read,
    visit,
  }) => {
    const owner = await make.owner()
    const forwarding = await make.link(owner, { url, forwardQuery: true, forwardPath: true })
    for (const rest of ['?qr=', '?qr=5', '?qrs', '?a=qr', '?QR', '/qr', '/a&qr', '/x?y=?qr']) {
      expect(await visit(`/${forwarding.alias}${rest}`)).toBe(`${url}${rest}`)
    }
    const own = await make.link(owner, { url: `${url}?qr=menu&qr` })
    expect(await visit(`/${own.alias}`)).toBe(`${url}?qr=menu&qr`)
    expect((await read(owner, '/stats')).sources).toEqual([])
    expect(await visit(`/${own.alias}?qr`)).toBe(`${url}?qr=menu&qr`)
    const exact = await make.link(owner, { url, alias: `q/qr-${own.id}` })
    expect(await visit(`/${exact.alias}?qr`)).toBe(url)
    expect((await read(owner, '/stats')).sources).toEqual([{ label: 'QR code', clicks: 2 }])
  })

  test('stays with a visit through the password, confirmation and splash pages', async ({
    make,
    read,
    request,
    visit,
  }) => {
    const owner = await make.owner()
    const secret = await make.link(owner, { url, password: 'open sesame' })
    const forwarding = await make.link(owner, { url, password: 'open sesame', forwardQuery: true })
    const confirmed = await make.link(owner, { url, confirm: true })
    for (const [{ alias }, fields, query, destination] of [
      [secret, { password: 'open sesame' }, '?qr', url],
      [forwarding, { password: 'open sesame' }, '?a=1&qr', `${url}?a=1`],
      [confirmed, { confirm: '1' }, '?qr', url],
    ] as const) {
      let page = await request({ url: `/${alias}${query}`, headers: { host: 'brev.test' } })
      if ('password' in fields) {
        page = await request({
          url: `/${alias}${query}`,
          ...postForm({ password: 'wrong' }),
        } as Parameters<typeof request>[0])
        expect(page.statusCode).toBe(401)
      }
      const action = /action="([^"]+)"/.exec(page.body)?.[1]?.replaceAll('&amp;', '&') ?? ''
      expect(action).toBe(`/${alias}${query}`)
      expect(await visit(action, postForm(fields))).toBe(destination)
    }
    const splash = await make.link(owner, { url, type: 'splash' })
    const page = await request({ url: `/${splash.alias}?qr`, headers: { host: 'brev.test' } })
    expect(page.body).toContain(`href="${url}"`)
    expect(await read(owner, '/stats')).toMatchObject({
      clicks: 4,
      sources: [{ label: 'QR code', clicks: 4 }],
    })
  })

  test('works on branded domains whose links forward queries', async ({
    app,
    make,
    read,
    visit,
  }) => {
    const owner = await make.owner()
    const domain = await make.domain(owner, { domain: 'https://scan.example' })
    await updateDomain(scopeOf(app.services, owner.account.id), domain.id, { forwardQuery: true })
    const { id, alias } = await make.link(owner, { url, domain: 'scan.example' })
    const headers = { host: 'scan.example' }
    expect(await visit(`/${alias}?qr&a=1`, { headers })).toBe(`${url}?a=1`)
    expect((await read(owner, `/url/${id}/stats`)).sources).toEqual([
      { label: 'QR code', clicks: 1 },
    ])
  })
})

test('scans of a code’s own link are counted with and without the marker', async ({
  app,
  make,
  read,
  request,
  visit,
}) => {
  const owner = await make.owner()
  const { id } = await make.qr(owner)
  const { shortUrl } = await getQrCode(scopeOf(app.services, owner.account.id), id)
  const encoded = new URL(shortUrl ?? '').pathname
  await visit(encoded)
  await visit(`${encoded}?qr`)
  expect(await read(owner, '/stats')).toMatchObject({
    clicks: 2,
    sources: [{ label: 'QR code', clicks: 2 }],
  })
  const { details } = (await request({ url: `/api/qr/${id}`, headers: owner.headers })).json()
  expect(details.scans).toBe(2)
})

test('statistics of a code for a link have only its scans', async ({
  make,
  read,
  request,
  visit,
}) => {
  const owner = await make.owner()
  const { shortUrl, alias } = await make.link(owner, { url })
  const reply = await request({
    method: 'POST',
    url: '/api/qr/add',
    headers: owner.headers,
    payload: { type: 'link', data: `${shortUrl}?qr` },
  })
  const { id } = reply.json()
  await visit(`/${alias}`)
  await visit(`/${alias}?qr`)
  await visit(`/${alias}`)
  expect(await read(owner, `/qr/${id}`)).toMatchObject({ clicks: 3 })
  const { details } = (await request({ url: `/api/qr/${id}`, headers: owner.headers })).json()
  expect(details.scans).toBe(1)
  const list = (await request({ url: '/api/qr', headers: owner.headers })).json()
  expect(list.data.qrs).toMatchObject([{ id, scans: 1 }])
  expect(await read(owner, `/qr/${id}/stats`)).toMatchObject({ clicks: 1, filtered: true })
  expect((await read(owner, `/qr/${id}/stats?browser=Firefox`)).clicks).toBe(0)
})

test('GET /api/stats rejects an unknown source', async ({ owner, request }) => {
  const reply = await request({ url: '/api/stats?source=poster', headers: owner.headers })
  expect([reply.statusCode, reply.json()]).toEqual([
    400,
    { error: 1, message: 'source must be one of QR code' },
  ])
})
