import { describe, expect } from 'vitest'
import { getLink, setLinkStatus } from '../../src/links/link.service.ts'
import type { LinkInput } from '../../src/links/link.ts'
import { scopeOf } from '../../src/scope.ts'
import { createCountryDatabase } from '../fixtures/country-database.ts'
import { appTest } from '../support/test.ts'

const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1'
const WINDOWS =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36'
const ANDROID =
  'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Mobile Safari/537.36'

const test = appTest({
  env: { TRUST_PROXY: '10.0.0.0/8' },
  files: { GEOIP_DB: createCountryDatabase({ country: { iso_code: 'DE' } }) },
}).extend('visits', { scope: 'file' }, ({ make, owner, request }) => {
  async function visit(
    input: Partial<LinkInput>,
    { address = '203.0.113.9', headers = {} }: Visitor = {},
  ) {
    const { alias } = await make.link(owner, input)
    return request({ url: `/${alias}`, remoteAddress: address, headers })
  }
  async function requestLocation(
    input: Partial<LinkInput>,
    visitor: Visitor = {},
  ): Promise<unknown> {
    const reply = await visit(input, visitor)
    expect(reply.statusCode).toBe(302)
    return reply.headers.location
  }
  return { visit, requestLocation }
})

type Visitor = { address?: string; headers?: Record<string, string> }

const to = (name: string) => `https://example.com/${name}`
const geoTargets = [
  { location: 'France', link: to('fr') },
  { location: 'Germany', link: to('de') },
]
const deviceTargets = [
  { device: 'iphone', link: to('iphone') },
  { device: 'mobile', link: to('mobile') },
]
const languageTargets = [
  { language: 'en', link: to('en') },
  { language: 'de-at', link: to('de-at') },
  { language: 'fr', link: to('french') },
]

test('a redirect is a 302 that must not be cached', async ({ visits: { visit } }) => {
  const reply = await visit({ url: to('plain') })
  expect(reply.statusCode).toBe(302)
  expect(reply.headers).toMatchObject({
    location: to('plain'),
    'cache-control': 'private, no-store',
  })
  expect(reply.body).toBe('')
  expect(reply.headers['x-ratelimit-limit']).toBeUndefined()
})

describe('targeting', () => {
  test.for<[string, Partial<LinkInput>, Visitor, string]>([
    ['the country', { geoTargets }, {}, 'de'],
    ['nothing when the country is unknown', { geoTargets }, { address: '127.0.0.1' }, 'target'],
    ['the device', { deviceTargets }, { headers: { 'user-agent': IPHONE } }, 'iphone'],
    ['the class of device', { deviceTargets }, { headers: { 'user-agent': ANDROID } }, 'mobile'],
    [
      'nothing for another device',
      { deviceTargets },
      { headers: { 'user-agent': WINDOWS } },
      'target',
    ],
    [
      'the language',
      { languageTargets },
      { headers: { 'accept-language': 'en-GB,en;q=0.9' } },
      'en',
    ],
    [
      'the visitor’s best language first',
      { languageTargets },
      { headers: { 'accept-language': 'es, fr;q=0.9, en;q=0.8' } },
      'french',
    ],
    [
      'a region if it is the visitor’s',
      { languageTargets },
      { headers: { 'accept-language': 'de-AT, en;q=0.5' } },
      'de-at',
    ],
    [
      'nothing for a region that the visitor does not name',
      { languageTargets },
      { headers: { 'accept-language': 'de' } },
      'target',
    ],
    ['nothing without languages', { languageTargets }, {}, 'target'],
  ] as const)(
    'follows %s',
    async ([_name, input, visitor, path], { visits: { requestLocation } }) => {
      expect(await requestLocation(input, visitor)).toBe(to(path))
    },
  )

  test('prefers country, then device, then language', async ({ visits: { requestLocation } }) => {
    const headers = { 'user-agent': IPHONE, 'accept-language': 'en' }
    expect(await requestLocation({ geoTargets, deviceTargets, languageTargets }, { headers })).toBe(
      to('de'),
    )
    const withoutCountry = { address: '127.0.0.1', headers }
    expect(
      await requestLocation({ geoTargets, deviceTargets, languageTargets }, withoutCountry),
    ).toBe(to('iphone'))
    const withoutDevice = { ...withoutCountry, headers: { 'accept-language': 'en' } }
    expect(
      await requestLocation({ geoTargets, deviceTargets, languageTargets }, withoutDevice),
    ).toBe(to('en'))
  })

  test('trusts forwarded IP addresses only from trusted proxies', async ({
    visits: { requestLocation },
  }) => {
    const headers = { 'x-forwarded-for': '203.0.113.50' }
    expect(await requestLocation({ geoTargets }, { address: '10.1.2.3', headers })).toBe(to('de'))
    expect(await requestLocation({ geoTargets }, { address: '127.0.0.1', headers })).toBe(
      to('target'),
    )
    const chain = { 'x-forwarded-for': '203.0.113.50, 127.0.0.1' }
    expect(await requestLocation({ geoTargets }, { address: '10.1.2.3', headers: chain })).toBe(
      to('target'),
    )
  })
})

describe('parameters', () => {
  const parameters = [
    { name: 'a', value: '1 & 2' },
    { name: 'ä', value: 'ö' },
    { name: '', value: 'skipped' },
  ]
  test.for([
    [to('x'), `${to('x')}?a=1+%26+2&%C3%A4=%C3%B6`],
    [`${to('x')}?b=%20c#part`, `${to('x')}?b=%20c&a=1+%26+2&%C3%A4=%C3%B6#part`],
    [`${to('x')}?#part`, `${to('x')}?a=1+%26+2&%C3%A4=%C3%B6#part`],
  ] as const)('are appended to %s', async ([url, location], { visits: { requestLocation } }) => {
    expect(await requestLocation({ url, parameters })).toBe(location)
  })

  test('are appended to the selected destination', async ({ visits: { requestLocation } }) => {
    const parameter = [{ name: 'utm', value: 'x' }]
    expect(await requestLocation({ geoTargets, parameters: parameter })).toBe(`${to('de')}?utm=x`)
  })
})

describe('an inactive link', () => {
  test('returns 410 after its expiration', async ({ app, make, owner, request }) => {
    const moment = new Date(app.clock().getTime() + 60_000).toISOString()
    const { alias } = await make.link(owner, { expiresAt: moment.slice(0, 19).replace('T', ' ') })
    expect((await request({ url: `/${alias}` })).statusCode).toBe(302)
    app.clock.advance(60)
    const reply = await request({ url: `/${alias}` })
    expect(reply.statusCode).toBe(410)
    expect(reply.body).toContain('<h1>')
    expect(reply.headers.location).toBeUndefined()
  })

  test('returns 410 while it is disabled', async ({ app, make, owner, request }) => {
    const { id, alias } = await make.link(owner)
    await setLinkStatus(scopeOf(app.services, owner.account.id), id, 'disabled')
    expect((await request({ url: `/${alias}` })).statusCode).toBe(410)
    await setLinkStatus(scopeOf(app.services, owner.account.id), id, 'active')
    expect((await request({ url: `/${alias}` })).statusCode).toBe(302)
  })
})

test('an unknown alias gets a 404 page', async ({ request }) => {
  for (const path of [
    'nothing',
    '%2F',
    '%00',
    'a%2Fb',
    'a;b',
    `${'x'.repeat(10_000)}`,
    '%F0%9F%91%8D',
    'a/b',
    '+',
    '++',
  ]) {
    const reply = await request({ url: `/${path}` })
    expect([path.slice(0, 20), reply.statusCode]).toEqual([path.slice(0, 20), 404])
    expect(reply.headers['content-type']).toContain('text/html')
  }
  expect((await request({ url: '/%zz' })).statusCode).toBe(400)
})

test('the preview shows the destination without counting a click', async ({
  app,
  make,
  owner,
  request,
}) => {
  const { id, alias } = await make.link(owner, {
    url: to('hidden?a=<b>'),
    metaTitle: 'A <title>',
  })
  const reply = await request({ url: `/${alias}+` })
  expect(reply.statusCode).toBe(200)
  expect(reply.body).toContain('https://example.com/hidden?a=%3Cb%3E')
  expect(reply.body).toContain('A &lt;title&gt;')
  const locked = await make.link(owner, { url: to('secret'), password: 'open sesame' })
  const hidden = await request({ url: `/${locked.alias}+` })
  expect(hidden.statusCode).toBe(200)
  expect(hidden.body).not.toContain('secret')
  await app.importClicks()
  expect((await getLink(scopeOf(app.services, owner.account.id), id)).clicks).toBe(0)
})
