import type { InjectOptions } from 'fastify'
import { describe, expect } from 'vitest'
import { setLinkStatus } from '../../src/links/link.service.ts'
import { findByShortLink } from '../../src/links/link-list.service.ts'
import { scopeOf } from '../../src/scope.ts'
import { appTest } from '../support/test.ts'

const test = appTest({ env: { LOG_LEVEL: 'silent', TRUST_PROXY: '10.0.0.0/8' } }).extend(
  'forms',
  { scope: 'file' },
  async ({ make, request }) => {
    const otherOwner = await make.owner()
    const sendForm = (url: string, fields: Record<string, string>, options: InjectOptions = {}) =>
      request({
        method: 'POST',
        url,
        payload: new URLSearchParams(fields).toString(),
        ...options,
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...options.headers },
      })
    async function openForm(options: InjectOptions = {}) {
      const page = await request({ url: '/register', ...options })
      const csrf = /name="csrf" value="([^"]+)"/.exec(page.body)?.[1] ?? ''
      const [cookie] = page.cookies
      return { csrf, cookie, cookieHeader: `${cookie?.name}=${cookie?.value}` }
    }
    return { openForm, otherOwner, sendForm }
  },
)

describe('every reply to a browser', () => {
  test('prevents content sniffing, and has a content security policy if it is a page or SVG image', async ({
    app,
    make,
    owner,
    request,
  }) => {
    const { id: splashId } = await make.splash(owner)
    const { id: overlayId } = await make.overlay(owner, { type: 'contact' })
    const { alias: qrAlias } = await make.qr(owner)
    await make.bio(owner, { alias: 'anna' })
    await make.link(owner, { alias: 'framed', type: 'frame' })
    await make.link(owner, { alias: 'splashed', type: String(splashId) })
    await make.link(owner, { alias: 'overlaid', type: `overlay-${overlayId}` })
    await make.link(owner, { alias: 'locked', password: 'open sesame' })
    await make.link(owner, { alias: 'off' })
    const disabledLink = await findByShortLink(
      scopeOf(app.services, owner.account.id),
      'http://brev.test/off',
    )
    await setLinkStatus(scopeOf(app.services, owner.account.id), disabledLink?.id ?? 0, 'disabled')
    const pages = ['/', '/register', '/framed', '/splashed', '/overlaid', '/locked', '/framed+']
    const rejections = [
      '/off',
      '/nothing',
      '/%zz',
      '/avatar/%2e',
      '/b/none',
      '/u/x/y',
      `/${'x'.repeat(50_000)}`,
    ]
    const files = [
      '/robots.txt',
      '/favicon.svg',
      '/favicon.ico',
      '/avatar/anna.svg',
      '/health/live',
    ]
    const otherPages = [
      '/metrics',
      '/openapi.json',
      '/docs',
      '/docs/links',
      '/docs/none',
      '/b/anna',
    ]
    const qrImages = [
      `/qr/${qrAlias}.svg`,
      `/qr/${qrAlias}.png`,
      `/qr/${qrAlias}?size=1`,
      '/qr/none.svg',
    ]
    for (const url of [...pages, ...rejections, ...files, ...otherPages, ...qrImages]) {
      const { headers, statusCode } = await request({ url })
      const policy = String(headers['content-security-policy'])
      const type = String(headers['content-type']).split(';')[0]
      expect([url.slice(0, 30), headers['x-content-type-options']]).toEqual([
        url.slice(0, 30),
        'nosniff',
      ])
      if (type === 'text/html') {
        expect([url, policy]).toEqual([url, expect.stringContaining("default-src 'none'")])
        expect([url, policy]).toEqual([url, expect.stringContaining("frame-ancestors 'none'")])
        expect(policy).not.toMatch(/script-src[^;]*(unsafe|https?:|\*)/)
      }
      if (type === 'image/svg+xml') expect(policy).toMatch(/^default-src 'none'/)
      expect(statusCode).toBeLessThan(500)
    }
  })

  test('has security headers and no details after an internal error', async ({
    app,
    owner,
    request,
  }) => {
    const { db } = app.services.database
    await db.schema.alterTable('links').renameTo('links_away').execute()
    const page = await request({ url: '/not-in-any-cache' })
    const api = await request({ url: '/api/urls', headers: owner.headers })
    await db.schema.alterTable('links_away').renameTo('links').execute()
    expect([page.statusCode, api.statusCode]).toEqual([500, 500])
    expect(page.headers['content-security-policy']).toContain("default-src 'none'")
    expect(page.headers['x-frame-options']).toBe('DENY')
    for (const { headers, body } of [page, api]) {
      expect(headers['x-content-type-options']).toBe('nosniff')
      expect(body).not.toMatch(/relation|links_|does not exist|42P01|node_modules/i)
    }
  })
})

describe('the registration form', () => {
  let count = 0
  function createFields() {
    count += 1
    return { email: `v${count}@example.com`, username: `visitor${count}`, password: 'long enough' }
  }

  test('is accepted only from its own page', async ({ forms: { sendForm, openForm } }) => {
    const { csrf, cookieHeader } = await openForm()
    const otherForm = await openForm()
    for (const [overrides, headers] of [
      [{}, {}],
      [{ csrf }, {}],
      [{}, { cookie: cookieHeader }],
      [{ csrf: '' }, { cookie: cookieHeader }],
      [{ csrf }, { cookie: otherForm.cookieHeader }],
      [{ csrf: csrf.toLowerCase() }, { cookie: cookieHeader }],
      [{ csrf }, { cookie: 'brevis_form=' }],
      [{ csrf }, { cookie: cookieHeader, 'sec-fetch-site': 'cross-site' }],
    ] as const) {
      const reply = await sendForm('/register', { ...createFields(), ...overrides }, { headers })
      expect([overrides, headers, reply.statusCode]).toEqual([overrides, headers, 403])
      expect(reply.body).not.toContain('brv_')
    }
    const reply = await sendForm(
      '/register',
      { ...createFields(), csrf },
      { headers: { cookie: cookieHeader } },
    )
    expect([reply.statusCode, reply.headers.location]).toEqual([303, '/console'])
    expect(reply.headers['cache-control']).toContain('no-store')
  })

  test('rejects a field with two values', async ({ request, forms: { openForm } }) => {
    const { csrf, cookieHeader } = await openForm()
    const payload = `csrf=${csrf}&email=a@example.com&email=b@example.com&username=twice1&password=long+enough`
    const headers = { 'content-type': 'application/x-www-form-urlencoded', cookie: cookieHeader }
    const reply = await request({ method: 'POST', url: '/register', headers, payload })
    expect(reply.statusCode).toBe(400)
  })

  test('protects its cookie from scripts and other sites, and sets Secure over TLS', async ({
    forms: { openForm },
  }) => {
    const https = { 'x-forwarded-proto': 'https' }
    const { cookie: plain } = await openForm()
    expect(plain).toMatchObject({ httpOnly: true, sameSite: 'Lax', path: '/' })
    expect([plain?.name, plain?.secure]).toEqual(['brevis_form', undefined])
    const { cookie: proxied } = await openForm({ remoteAddress: '10.1.2.3', headers: https })
    expect(proxied).toMatchObject({
      name: '__Host-brevis_form',
      httpOnly: true,
      secure: true,
      sameSite: 'Lax',
      path: '/',
    })
    expect(proxied).not.toHaveProperty('domain')
    const { cookie: forged } = await openForm({ headers: https })
    expect([forged?.name, forged?.secure]).toEqual(['brevis_form', undefined])
  })

  test('over TLS, accepts only a cookie set by this host over TLS', async ({
    forms: { sendForm, openForm },
  }) => {
    const overTls = { remoteAddress: '10.1.2.3', headers: { 'x-forwarded-proto': 'https' } }
    const { csrf, cookie } = await openForm(overTls)
    const send = (name: string) =>
      sendForm(
        '/register',
        { ...createFields(), csrf },
        {
          ...overTls,
          headers: { ...overTls.headers, cookie: `${name}=${cookie?.value}` },
        },
      )
    expect((await send('brevis_form')).statusCode).toBe(403)
    expect((await send('__Host-brevis_form')).statusCode).toBe(303)
  })

  test('is not available on a branded domain', async ({ make, request, forms: { otherOwner } }) => {
    const { host } = await make.domain(otherOwner, { domain: 'https://shop.test' })
    for (const name of [host, 'unknown.test', 'brev.test:81', 'brev.test@evil.test']) {
      const reply = await request({ url: '/register', headers: { host: name } })
      expect([name, reply.statusCode]).toEqual([name, 404])
    }
  })
})

describe('the Location header', () => {
  const LINE_BREAKS = [
    '\r\nX-Injected: 1',
    '\nX-Injected: 1',
    '%0d%0aX-Injected: 1',
    '\u2028X-Injected',
    '\u560d\u560aX',
  ]
  test.for(LINE_BREAKS)(
    'cannot be ended by a destination that contains %j',
    async (text, { owner, request }) => {
      const created = await request({
        method: 'POST',
        url: '/api/url/add',
        headers: owner.headers,
        payload: {
          url: `https://example.com/${text}?a=${text}#${text}`,
          parameters: [{ name: `b${text}`, value: text }],
          languagetarget: [{ language: 'de', link: `https://example.com/de${text}` }],
        },
      })
      const { pathname } = new URL(created.json().shorturl)
      for (const language of ['en', 'de']) {
        const reply = await request({ url: pathname, headers: { 'accept-language': language } })
        expect(reply.statusCode).toBe(302)
        expect(reply.headers.location).toMatch(/^https:\/\/example\.com\/[!-~]+$/)
        expect(reply.headers['x-injected']).toBeUndefined()
      }
    },
  )

  test('cannot be ended by a URL of a branded domain', async ({ owner, request }) => {
    const payload = {
      domain: 'https://lines.test',
      redirectroot: 'https://example.com/\r\nX-Injected: 1',
      redirect404: 'https://example.com/\nX-Injected: 1',
    }
    const created = await request({
      method: 'POST',
      url: '/api/domain/add',
      headers: owner.headers,
      payload,
    })
    expect(created.statusCode).toBe(200)
    for (const url of ['/', '/nothing']) {
      const reply = await request({ url, headers: { host: 'lines.test' } })
      expect(reply.headers.location).toBe('https://example.com/X-Injected:%201')
      expect(reply.headers['x-injected']).toBeUndefined()
    }
  })

  test('never points to a host in the requested path', async ({ make, owner, request }) => {
    const { alias } = await make.link(owner)
    for (const url of [
      `//evil.test/${alias}`,
      '//evil.test',
      '/\\evil.test',
      `/${alias}//evil.test`,
    ]) {
      const { location } = (await request({ url: `http://brev.test${url}` })).headers
      expect([url, location]).toEqual([url, undefined])
    }
  })
})
