import { describe, expect } from 'vitest'
import { updateDomain } from '../../src/domains/domain.service.ts'
import { updateLink } from '../../src/links/link.service.ts'
import type { LinkInput } from '../../src/links/link.ts'
import { scopeOf } from '../../src/scope.ts'
import { appTest } from '../support/test.ts'

const url = 'https://example.com/target'
const HOUR_SECONDS = 3600
/** The request of the page with a button. */
const confirmation = {
  method: 'POST' as const,
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  payload: 'confirm=yes',
}
const SLACKBOT = 'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)'

const test = appTest()
  .extend('visit', { scope: 'file' }, ({ request }) => (alias: string, init = {}) => {
    const { headers = {}, ...options } = init as { headers?: Record<string, string> }
    return request({ url: `/${alias}`, headers: { host: 'brev.test', ...headers }, ...options })
  })
  .extend('formatTimeIn', { scope: 'file' }, ({ app }) => (seconds: number) => {
    const time = new Date(app.clock().getTime() + seconds * 1000)
    return time.toISOString().slice(0, 19).replace('T', ' ')
  })
  .extend('changeLink', { scope: 'file' }, ({ app, owner }) => {
    return (id: number, input: Partial<LinkInput>) =>
      updateLink(scopeOf(app.services, owner.account.id), id, { url, ...input })
  })
  .extend('clicksOf', { scope: 'file' }, ({ app, owner }) => (id: number) => {
    return app.clicksOf(owner, id)
  })

describe('startsAt', () => {
  test('returns 404 before that time and redirects afterward', async ({
    app,
    make,
    owner,
    visit,
    formatTimeIn,
    clicksOf,
  }) => {
    const { alias, id } = await make.link(owner, { startsAt: formatTimeIn(HOUR_SECONDS) })
    const beforeStart = await visit(alias)
    expect(beforeStart.statusCode).toBe(404)
    expect(beforeStart.body).toContain('This link isn’t active yet')
    expect(beforeStart.headers['cache-control']).toBe('private, no-store')
    expect((await visit(`${alias}+`)).statusCode).toBe(404)
    app.clock.advance(HOUR_SECONDS)
    const reply = await visit(alias)
    expect([reply.statusCode, reply.headers.location]).toEqual([302, url])
    expect(await clicksOf(id)).toBe(1)
  })

  test('does not ask for a password before that time', async ({
    make,
    owner,
    visit,
    formatTimeIn,
  }) => {
    const { alias } = await make.link(owner, {
      startsAt: formatTimeIn(HOUR_SECONDS),
      password: 'open sesame',
    })
    expect((await visit(alias)).statusCode).toBe(404)
  })
})

describe('expiredUrl', () => {
  const expiredUrl = 'https://example.com/expired'

  test('redirects visitors of an expired link', async ({
    app,
    make,
    owner,
    visit,
    formatTimeIn,
    clicksOf,
  }) => {
    const { alias, id } = await make.link(owner, {
      expiresAt: formatTimeIn(HOUR_SECONDS),
      expiredUrl,
    })
    expect((await visit(alias)).headers.location).toBe(url)
    app.clock.advance(HOUR_SECONDS)
    const reply = await visit(alias)
    expect([reply.statusCode, reply.headers.location]).toEqual([302, expiredUrl])
    expect(reply.headers['cache-control']).toBe('private, no-store')
    expect(await clicksOf(id)).toBe(1)
  })

  test('of a domain applies immediately to links without their own URL', async ({
    app,
    make,
    owner,
    visit,
    formatTimeIn,
  }) => {
    const { id, host } = await make.domain(owner, { expiredUrl: 'https://example.com/of-domain' })
    const expiration = { domain: host, expiresAt: formatTimeIn(HOUR_SECONDS) }
    const withoutUrl = await make.link(owner, expiration)
    const withUrl = await make.link(owner, { ...expiration, expiredUrl })
    app.clock.advance(HOUR_SECONDS)
    const readLocations = async () => {
      const replies = [await visit(withoutUrl.alias, { headers: { host } })]
      replies.push(await visit(withUrl.alias, { headers: { host } }))
      return replies.map(({ statusCode, headers }) => headers.location ?? statusCode)
    }
    expect(await readLocations()).toEqual(['https://example.com/of-domain', expiredUrl])
    const { services } = app
    await updateDomain(scopeOf(services, owner.account.id), id, { expiredUrl: null })
    expect(await readLocations()).toEqual([410, expiredUrl])
  })

  test('does not redirect to a blocked host', async ({ app, make, owner, visit, formatTimeIn }) => {
    const blockedUrl = 'https://blocked.example/page'
    const { alias } = await make.link(owner, {
      expiresAt: formatTimeIn(HOUR_SECONDS),
      expiredUrl: blockedUrl,
    })
    app.clock.advance(HOUR_SECONDS)
    expect((await visit(alias)).headers.location).toBe(blockedUrl)
    const { services } = app
    await services.db
      .insertInto('blocked_hosts')
      .values({ host: 'blocked.example', subdomains: true, reason: null, blocked_by: 'admin' })
      .execute()
    services.blockList.invalidate()
    services.visitLinks.invalidateHost('blocked.example')
    expect((await visit(alias)).statusCode).toBe(410)
  })
})

describe('maxClicks', () => {
  test('redirects up to the limit and shows the expired page to later visitors', async ({
    make,
    owner,
    visit,
    clicksOf,
  }) => {
    const { alias, id } = await make.link(owner, { maxClicks: 3 })
    const replies = await Promise.all(Array.from({ length: 20 }, () => visit(alias)))
    expect(replies.map(({ statusCode }) => statusCode).sort()).toEqual([
      302,
      302,
      302,
      ...Array.from({ length: 17 }, () => 410),
    ])
    expect(await clicksOf(id)).toBe(3)
    expect((await visit(alias)).statusCode).toBe(410)
  })

  test('hides the destination from HEAD requests, prefetches and bots, which use no click', async ({
    make,
    owner,
    visit,
  }) => {
    const { alias } = await make.link(owner, { maxClicks: 1, metaTitle: 'Voucher' })
    const others = [
      { method: 'HEAD' },
      ...[
        { 'sec-purpose': 'prefetch;prerender' },
        { purpose: 'prefetch' },
        { 'user-agent': SLACKBOT },
        { 'user-agent': 'Googlebot/2.1 (+http://www.google.com/bot.html)' },
      ].map((headers) => ({ headers })),
      { ...confirmation, headers: { ...confirmation.headers, 'user-agent': SLACKBOT } },
    ]
    for (const options of others) {
      const reply = await visit(alias, options)
      expect([reply.statusCode, reply.headers.location]).toEqual([200, undefined])
      expect(reply.headers['cache-control']).toBe('private, no-store')
      expect(JSON.stringify(reply.headers) + reply.body).not.toContain('example.com')
      if (!('method' in options))
        expect(reply.body).toContain('property="og:title" content="Voucher"')
    }
    const preview = await visit(`${alias}+`)
    expect(preview.statusCode).toBe(200)
    expect(preview.body).not.toContain(url)
    expect((await visit(alias)).statusCode).toBe(302)
    expect((await visit(alias)).statusCode).toBe(410)
    expect((await visit(alias, { method: 'HEAD' })).statusCode).toBe(410)
  })

  test('may need a confirmation, and only its POST uses a click', async ({
    make,
    owner,
    request,
    visit,
    clicksOf,
  }) => {
    const reply = await request({
      method: 'POST',
      url: '/api/url/add',
      headers: owner.headers,
      payload: { url, maxClicks: 1, confirm: true },
    })
    const { id, shorturl } = reply.json()
    const details = await request({ url: `/api/url/${id}`, headers: owner.headers })
    expect(details.json().details).toMatchObject({ maxClicks: 1, confirm: true })
    const alias = new URL(shorturl).pathname.slice(1)
    for (let count = 0; count < 3; count += 1) {
      const page = await visit(alias)
      expect([page.statusCode, page.body.includes(url)]).toEqual([200, false])
      expect(page.body).toContain(`<form method="post" action="/${alias}">`)
    }
    expect(await clicksOf(id)).toBe(0)
    const opened = await visit(alias, confirmation)
    expect([opened.statusCode, opened.headers.location]).toEqual([303, url])
    expect(await clicksOf(id)).toBe(1)
    expect((await visit(alias, confirmation)).statusCode).toBe(410)
    expect((await visit(alias)).statusCode).toBe(410)

    const locked = await make.link(owner, { password: 'open sesame', maxClicks: 1, confirm: true })
    const guess = { ...confirmation, payload: 'password=open+sesame' }
    expect((await visit(locked.alias, confirmation)).statusCode).toBe(401)
    expect((await visit(locked.alias, guess)).statusCode).toBe(303)
    const plain = await make.link(owner)
    expect((await visit(plain.alias, confirmation)).statusCode).toBe(405)
  })

  test('counts only visits with the right password', async ({ make, owner, visit }) => {
    const { alias } = await make.link(owner, { maxClicks: 1, password: 'open sesame' })
    const createForm = (password: string) => ({
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams({ password }).toString(),
    })
    expect((await visit(alias)).statusCode).toBe(200)
    expect((await visit(alias, createForm('wrong'))).statusCode).toBe(401)
    expect((await visit(alias, createForm('open sesame'))).statusCode).toBe(303)
    expect((await visit(alias, createForm('open sesame'))).statusCode).toBe(410)
  })

  test('allows the last visitor to respond to the overlay', async ({ make, owner, visit }) => {
    const { id } = await make.overlay(owner, { type: 'poll', options: ['Yes', 'No'] })
    const { alias } = await make.link(owner, { maxClicks: 1, type: `overlay-${id}` })
    const page = await visit(alias)
    const csrf = /name="csrf" value="([^"]+)"/.exec(page.body)?.[1] ?? ''
    const cookie = String(page.headers['set-cookie']).split(';')[0] ?? ''
    const sendResponse = (token: string) =>
      visit(alias, {
        method: 'POST',
        headers: { cookie, 'content-type': 'application/x-www-form-urlencoded' },
        payload: new URLSearchParams({ choice: '0', csrf: token }).toString(),
      })
    expect((await sendResponse(csrf)).statusCode).toBe(200)
    expect((await sendResponse(csrf.split('.')[0] ?? '')).statusCode).toBe(403)
    expect((await visit(alias)).statusCode).toBe(410)
  })

  test('can be raised after it is reached, and removed', async ({
    make,
    owner,
    visit,
    changeLink,
  }) => {
    const { alias, id } = await make.link(owner, { maxClicks: 1 })
    const visitRepeatedly = async (visits: number) => {
      const statuses = []
      for (let n = 0; n < visits; n += 1) statuses.push((await visit(alias)).statusCode)
      return statuses
    }
    expect(await visitRepeatedly(2)).toEqual([302, 410])
    await changeLink(id, { maxClicks: 3 })
    expect(await visitRepeatedly(3)).toEqual([302, 302, 410])
    await changeLink(id, { maxClicks: 2 })
    expect(await visitRepeatedly(1)).toEqual([410])
    await changeLink(id, { maxClicks: null })
    expect(await visitRepeatedly(4)).toEqual([302, 302, 302, 302])
    // A new limit ignores earlier clicks.
    await changeLink(id, { maxClicks: 1 })
    expect(await visitRepeatedly(2)).toEqual([302, 410])
  })

  test('redirects later visitors to the expired URL', async ({ make, owner, visit }) => {
    const expiredUrl = 'https://example.com/sold-out'
    const { alias } = await make.link(owner, { maxClicks: 1, expiredUrl })
    expect((await visit(alias)).headers.location).toBe(url)
    const reply = await visit(alias)
    expect([reply.statusCode, reply.headers.location]).toEqual([302, expiredUrl])
  })

  test('applies to a link behind a rotator', async ({ app, make, owner, request }) => {
    const { id } = await make.campaign(owner, { slug: 'limited' })
    const link = await make.link(owner, { maxClicks: 1 })
    const { db } = app.services
    await db.insertInto('campaign_links').values({ campaign_id: id, link_id: link.id }).execute()
    const visitRotator = async () => (await request({ url: '/r/limited' })).statusCode
    expect([await visitRotator(), await visitRotator()]).toEqual([302, 404])
  })
})
