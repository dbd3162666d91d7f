import { describe, expect } from 'vitest'
import { deleteLink, setLinkStatus, updateLink } from '../../src/links/link.service.ts'
import { scopeOf } from '../../src/scope.ts'
import { makeCampaignWithLinks } from '../support/campaign-links.ts'
import { appTest } from '../support/test.ts'

const test = appTest().extend('pages', { scope: 'file' }, async ({ app, make, request }) => {
  const owner = await make.owner({ username: 'anna' })
  const createUrls = async () => {
    const { id, slug, links } = await makeCampaignWithLinks(app, owner, 1, { public: true })
    const { alias } = await make.bio(owner)
    const linkAlias = links[0]?.alias
    return [
      '/',
      '/register',
      '/robots.txt',
      '/favicon.svg',
      '/favicon.ico',
      '/avatar/anna.svg',
      `/b/${alias}`,
      `/u/anna/${id}`,
      `/r/${slug}`,
      `/${linkAlias}`,
      `/${linkAlias}+`,
    ]
  }
  const post = (url: string, payload: string, type = 'application/x-www-form-urlencoded') =>
    request({ method: 'POST', url, headers: { 'content-type': type }, payload })
  return { createUrls, owner, post }
})

describe('every page', () => {
  test('responds to HEAD like GET without a body', async ({ request, pages: { createUrls } }) => {
    for (const url of await createUrls()) {
      const get = await request({ url })
      const head = await request({ method: 'HEAD', url })
      expect([url, head.statusCode, head.body]).toEqual([url, get.statusCode, ''])
      expect(head.headers['content-type']).toBe(get.headers['content-type'])
      expect(get.statusCode).toBeLessThan(400)
    }
  })

  test('has protective headers and no API headers', async ({ request, pages: { createUrls } }) => {
    for (const url of [...(await createUrls()), '/nothing', '/a/b', '/%zz']) {
      const { headers, statusCode } = await request({ url })
      expect(headers['x-ratelimit-limit']).toBeUndefined()
      if (statusCode === 302) continue
      expect(headers['x-content-type-options']).toBe('nosniff')
      if (!String(headers['content-type']).startsWith('text/html')) continue
      const policy = String(headers['content-security-policy'])
      expect(policy).toContain("default-src 'none'")
      expect(policy).toContain("frame-ancestors 'none'")
      expect(policy).toMatch(/script-src (?:'nonce-[\w+/]+={0,2}'|'none')(?:;|$)/)
      expect(headers['referrer-policy']).toBe('no-referrer')
      expect(headers['cache-control']).toBe('private, no-store')
    }
  })

  test('has a unique nonce', async ({ request }) => {
    const replies = await Promise.all(Array.from({ length: 20 }, () => request({ url: '/' })))
    const nonces = replies.map(({ headers }) => {
      const [, nonce = ''] =
        /'nonce-([^']+)'/.exec(String(headers['content-security-policy'])) ?? []
      return nonce
    })
    expect(new Set(nonces).size).toBe(20)
    for (const [index, { body }] of replies.entries()) expect(body).toContain(nonces[index])
  })
})

describe('a preview', () => {
  test("shows the visitor's destination without counting a click", async ({
    app,
    make,
    request,
    pages: { owner },
  }) => {
    const link = await make.link(owner, {
      languageTargets: [{ language: 'fr', link: 'https://example.com/fr' }],
      parameters: [{ name: 'via', value: 'x' }],
    })
    const headers = { 'accept-language': 'fr' }
    const { body } = await request({ url: `/${link.alias}+`, headers })
    expect(body).toContain('https://example.com/fr?via=x')
    expect((await request({ url: `/${link.alias}%2B` })).body).toContain('/target?via=x')
    expect(await app.clicksOf(owner, link.id)).toBe(0)
  })

  test('does not reveal the destination or title of a protected, disabled, or expired link', async ({
    app,
    make,
    request,
    pages: { owner },
  }) => {
    const locked = await make.link(owner, { password: 'x', metaTitle: 'Hidden title' })
    const lockedPage = await request({ url: `/${locked.alias}+` })
    expect(lockedPage.statusCode).toBe(200)
    const disabled = await make.link(owner, { metaTitle: 'Hidden title' })
    await setLinkStatus(scopeOf(app.services, owner.account.id), disabled.id, 'disabled')
    const disabledPage = await request({ url: `/${disabled.alias}+` })
    const expired = await make.link(owner, {
      expiresAt: '9000-01-01',
      metaTitle: 'Hidden title',
    })
    app.clock.set('9000-06-01T00:00:00Z')
    const expiredPage = await request({ url: `/${expired.alias}+` })
    app.clock.set(new Date().toISOString())
    expect([disabledPage.statusCode, expiredPage.statusCode]).toEqual([410, 410])
    for (const { body } of [lockedPage, disabledPage, expiredPage]) {
      expect(body).not.toContain('example.com')
      expect(body).not.toContain('Hidden title')
    }
  })
})

describe('forms', () => {
  test('of a disabled or deleted link get the same status as visits', async ({
    app,
    make,
    pages: { owner, post },
  }) => {
    const link = await make.link(owner, { password: 'x' })
    await setLinkStatus(scopeOf(app.services, owner.account.id), link.id, 'disabled')
    expect((await post(`/${link.alias}`, 'password=x')).statusCode).toBe(410)
    await deleteLink(scopeOf(app.services, owner.account.id), link.id)
    expect((await post(`/${link.alias}`, 'password=x')).statusCode).toBe(404)
  })

  test('with a password redirect if the link’s password was removed in the meantime', async ({
    app,
    make,
    pages: { owner, post },
  }) => {
    const link = await make.link(owner, { password: 'x' })
    await updateLink(scopeOf(app.services, owner.account.id), link.id, {
      url: link.url,
      password: null,
    })
    const reply = await post(`/${link.alias}`, 'password=x')
    expect([reply.statusCode, reply.headers.location]).toEqual([303, link.url])
  })

  test.for([
    ['{"password":"x"}', 'application/json', 415],
    ['password=x', 'text/plain', 415],
    ['--x\r\n\r\n--x--', 'multipart/form-data; boundary=x', 415],
    [`password=${'x'.repeat(70_000)}`, 'application/x-www-form-urlencoded', 413],
    ['password=y', 'application/x-www-form-urlencoded', 401],
    ['password=x&password=y', 'application/x-www-form-urlencoded', 401],
    ['password[a]=x', 'application/x-www-form-urlencoded', 401],
    ['', 'application/x-www-form-urlencoded', 401],
    ['password=%00%zz', 'application/x-www-form-urlencoded', 401],
    ['password=%00%ff%zz', 'application/x-www-form-urlencoded', 400],
  ] as const)(
    'with an unsupported type, too large a body, or a wrong password get an error page: case %#',
    async ([payload, type, status], { make, pages: { owner, post } }) => {
      const { alias } = await make.link(owner, { password: 'x' })
      const reply = await post(`/${alias}`, payload, type)
      expect(reply.statusCode).toBe(status)
      expect(reply.headers['content-type']).toBe('text/html; charset=utf-8')
      expect(reply.body).not.toContain('example.com')
    },
  )
})

test('pixels are not loaded on any kind of page unless the operator configures their provider', async ({
  make,
  request,
  pages: { owner },
}) => {
  const pixel = await make.pixel(owner)
  const overlay = await make.overlay(owner)
  for (const type of ['direct', 'frame', 'splash', `overlay-${overlay.id}`]) {
    const { alias } = await make.link(owner, { type, pixels: [pixel.id] })
    const { body, headers } = await request({ url: `/${alias}` })
    expect(body).not.toContain('class="beacon"')
    expect(String(headers['content-security-policy'])).toContain("img-src 'self' data:;")
  }
})
