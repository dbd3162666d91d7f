import type { InjectOptions } from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestApp, testApp } from '../support/app.ts'
import type { Owner } from '../support/make.ts'

let t: TestApp
let owner: Owner
let foreign: Owner

beforeAll(async () => {
  t = await testApp({ env: { LOG_LEVEL: 'silent', TRUST_PROXY: '10.0.0.0/8' } })
  owner = await t.make.owner()
  foreign = await t.make.owner()
})
afterAll(() => t.close())

const form = (url: string, fields: Record<string, string>, more: InjectOptions = {}) =>
  t.request({
    method: 'POST',
    url,
    payload: new URLSearchParams(fields).toString(),
    ...more,
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...more.headers },
  })

describe('every answer to a browser', () => {
  test('says what it may do', async () => {
    const { id: splash } = await t.make.splash(owner)
    const { id: overlay } = await t.make.overlay(owner, { type: 'contact' })
    const { alias: code } = await t.make.qr(owner)
    await t.make.bio(owner, { alias: 'anna' })
    await t.make.link(owner, { alias: 'framed', type: 'frame' })
    await t.make.link(owner, { alias: 'splashed', type: String(splash) })
    await t.make.link(owner, { alias: 'overlaid', type: `overlay-${overlay}` })
    await t.make.link(owner, { alias: 'locked', password: 'open sesame' })
    await t.make.link(owner, { alias: 'off' })
    const off = await t.services.links.findByShortUrl(owner.account.id, 'http://brev.test/off')
    await t.services.links.setStatus(owner.account.id, off?.id ?? 0, 'disabled')
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
    const rest = ['/metrics', '/openapi.json', '/docs', '/docs/static/swagger-ui.css', '/b/anna']
    const codes = [`/qr/${code}.svg`, `/qr/${code}.png`, `/qr/${code}?size=1`, '/qr/none.svg']
    for (const url of [...pages, ...rejections, ...files, ...rest, ...codes]) {
      const { headers, statusCode } = await t.request({ url })
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

  test('does so when something of our own breaks, and says no more than that', async () => {
    const { db } = t.services.database
    await db.schema.alterTable('links').renameTo('links_away').execute()
    const page = await t.request({ url: '/not-in-any-cache' })
    const api = await t.request({ url: '/api/urls', headers: owner.headers })
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

describe('the registration', () => {
  async function open(more: InjectOptions = {}) {
    const page = await t.request({ url: '/register', ...more })
    const csrf = /name="csrf" value="([^"]+)"/.exec(page.body)?.[1] ?? ''
    const [cookie] = page.cookies
    return { csrf, cookie, sent: `${cookie?.name}=${cookie?.value}` }
  }
  let count = 0
  function fields() {
    count += 1
    return { email: `v${count}@example.com`, username: `visitor${count}`, password: 'long enough' }
  }

  test('is taken from its own page alone', async () => {
    const { csrf, sent } = await open()
    const other = await open()
    for (const [given, headers] of [
      [{}, {}],
      [{ csrf }, {}],
      [{}, { cookie: sent }],
      [{ csrf: '' }, { cookie: sent }],
      [{ csrf }, { cookie: other.sent }],
      [{ csrf: csrf.toLowerCase() }, { cookie: sent }],
      [{ csrf }, { cookie: 'brevis_form=' }],
      [{ csrf }, { cookie: sent, 'sec-fetch-site': 'cross-site' }],
    ] as const) {
      const reply = await form('/register', { ...fields(), ...given }, { headers })
      expect([given, headers, reply.statusCode]).toEqual([given, headers, 403])
      expect(reply.body).not.toContain('brv_')
    }
    const reply = await form('/register', { ...fields(), csrf }, { headers: { cookie: sent } })
    expect(reply.statusCode).toBe(200)
    expect(reply.headers['cache-control']).toContain('no-store')
  })

  test('takes one value of each field, and nothing but text', async () => {
    const { csrf, sent } = await open()
    const payload = `csrf=${csrf}&email=a@example.com&email=b@example.com&username=twice1&password=long+enough`
    const headers = { 'content-type': 'application/x-www-form-urlencoded', cookie: sent }
    const reply = await t.request({ method: 'POST', url: '/register', headers, payload })
    expect(reply.statusCode).toBe(400)
  })

  test('keeps its cookie from scripts and other sites, and behind TLS to TLS', async () => {
    const https = { 'x-forwarded-proto': 'https' }
    const { cookie: plain } = await open()
    expect(plain).toMatchObject({ httpOnly: true, sameSite: 'Lax', path: '/' })
    expect([plain?.name, plain?.secure]).toEqual(['brevis_form', undefined])
    const { cookie: proxied } = await open({ remoteAddress: '10.1.2.3', headers: https })
    expect(proxied).toMatchObject({
      name: '__Host-brevis_form',
      httpOnly: true,
      secure: true,
      sameSite: 'Lax',
      path: '/',
    })
    expect(proxied).not.toHaveProperty('domain')
    const { cookie: forged } = await open({ headers: https })
    expect([forged?.name, forged?.secure]).toEqual(['brevis_form', undefined])
  })

  test('takes behind TLS the cookie that only this host over TLS can have set', async () => {
    const from = { remoteAddress: '10.1.2.3', headers: { 'x-forwarded-proto': 'https' } }
    const { csrf, cookie } = await open(from)
    const send = (name: string) =>
      form(
        '/register',
        { ...fields(), csrf },
        {
          remoteAddress: '10.1.2.3',
          headers: { ...from.headers, cookie: `${name}=${cookie?.value}` },
        },
      )
    expect((await send('brevis_form')).statusCode).toBe(403)
    expect((await send('__Host-brevis_form')).statusCode).toBe(200)
  })

  test('is not to be had on a branded domain', async () => {
    const { host } = await t.make.domain(foreign, { domain: 'https://shop.test' })
    for (const name of [host, 'unknown.test', 'brev.test:81', 'brev.test@evil.test']) {
      const reply = await t.request({ url: '/register', headers: { host: name } })
      expect([name, reply.statusCode]).toEqual([name, 404])
    }
  })
})

describe('a Location', () => {
  const breaks = [
    '\r\nX-Injected: 1',
    '\nX-Injected: 1',
    '%0d%0aX-Injected: 1',
    '\u2028X-Injected',
    '\u560d\u560aX',
  ]
  test.each(breaks)('never carries a second header: %j', async (text) => {
    const made = await t.request({
      method: 'POST',
      url: '/api/url/add',
      headers: owner.headers,
      payload: {
        url: `https://example.com/${text}?a=${text}#${text}`,
        parameters: [{ name: `b${text}`, value: text }],
        languagetarget: [{ language: 'de', link: `https://example.com/de${text}` }],
      },
    })
    const { pathname } = new URL(made.json().shorturl)
    for (const language of ['en', 'de']) {
      const reply = await t.request({ url: pathname, headers: { 'accept-language': language } })
      expect(reply.statusCode).toBe(302)
      expect(reply.headers.location).toMatch(/^https:\/\/example\.com\/[!-~]+$/)
      expect(reply.headers['x-injected']).toBeUndefined()
    }
  })

  test('of a branded domain neither', async () => {
    const payload = {
      domain: 'https://lines.test',
      redirectroot: 'https://example.com/\r\nX-Injected: 1',
      redirect404: 'https://example.com/\nX-Injected: 1',
    }
    const made = await t.request({
      method: 'POST',
      url: '/api/domain/add',
      headers: owner.headers,
      payload,
    })
    expect(made.statusCode).toBe(200)
    for (const url of ['/', '/nothing']) {
      const reply = await t.request({ url, headers: { host: 'lines.test' } })
      expect(reply.headers.location).toBe('https://example.com/X-Injected:%201')
      expect(reply.headers['x-injected']).toBeUndefined()
    }
  })

  test('is no place of the visitor’s own choice', async () => {
    const { alias } = await t.make.link(owner)
    for (const url of [
      `//evil.test/${alias}`,
      '//evil.test',
      '/\\evil.test',
      `/${alias}//evil.test`,
    ]) {
      const { location } = (await t.request({ url: `http://brev.test${url}` })).headers
      expect([url, location]).toEqual([url, undefined])
    }
  })
})
