import type { InjectOptions } from 'fastify'
import { describe, expect } from 'vitest'
import { base64, callLegacyApi, readXml } from '../support/legacy-api.ts'
import { appTest } from '../support/test.ts'

const test = appTest({ env: { LOG_LEVEL: 'silent', TRUST_PROXY: '10.0.0.0/8' } }).extend(
  'hosts',
  { scope: 'file' },
  async ({ app, make, request }) => {
    const otherOwner = await make.owner()
    const requestLocation = async (headers: Record<string, string>, options: InjectOptions = {}) =>
      (await request({ url: '/same', headers, ...options })).headers.location
    const readClientAddress = async (headers: Record<string, string>, remoteAddress: string) =>
      readXml((await callLegacyApi(app, 'unknown', 'x.xml', { headers, remoteAddress })).body)
        .client
    return { otherOwner, requestLocation, readClientAddress }
  },
)

describe('a request', () => {
  test.beforeAll(async ({ make, owner, hosts: { otherOwner } }) => {
    await make.domain(owner, { domain: 'https://mine.test' })
    await make.domain(otherOwner, { domain: 'https://theirs.test' })
    const same = { alias: 'same' }
    await make.link(owner, { ...same, url: 'https://example.com/service' })
    await make.link(owner, { ...same, domain: 'mine.test', url: 'https://example.com/mine' })
    await make.link(otherOwner, {
      ...same,
      domain: 'theirs.test',
      url: 'https://example.com/theirs',
    })
  })

  test.for(['mine.test', 'MINE.test', 'mine.test.', 'mine.test:80', 'mine.test:443'])(
    'with the host %s is redirected to the link of that domain',
    async (host, { hosts: { requestLocation } }) => {
      expect(await requestLocation({ host })).toBe('https://example.com/mine')
    },
  )

  test.for([
    '',
    'theirs.test@mine.test',
    'mine.test@theirs.test',
    'mine.test:theirs.test',
    'mine.test/theirs.test',
    'mine.test\\theirs.test',
    'mine.test, theirs.test',
    'mine.test theirs.test',
    'mine.test#theirs.test',
    'mine.test?theirs.test',
    'mine.test..',
    '.mine.test',
    'mine.test:8080',
    'mine.test:0',
    'mine.test%00.theirs.test',
    'mine%2etest:81',
    'xmine.test',
    '[::1]',
  ])('with the host %j gets 404', async (host, { hosts: { requestLocation } }) => {
    expect(await requestLocation({ host })).toBeUndefined()
  })

  test('is routed by its Host header, or by X-Forwarded-Host from a trusted proxy', async ({
    hosts: { requestLocation },
  }) => {
    const forwarded = {
      'x-forwarded-host': 'theirs.test',
      'x-host': 'theirs.test',
      'x-original-url': '/other',
      'x-rewrite-url': '/other',
      forwarded: 'host=theirs.test',
    }
    for (const [remoteAddress, name] of [
      ['203.0.113.7', 'mine'],
      ['10.1.2.3', 'theirs'],
    ] as const) {
      expect(await requestLocation({ host: 'mine.test', ...forwarded }, { remoteAddress })).toBe(
        `https://example.com/${name}`,
      )
    }
  })

  test('cannot change the host of short URLs, which comes from the settings', async ({
    app,
    owner,
    request,
  }) => {
    const headers = {
      ...owner.headers,
      host: 'evil.test',
      'x-forwarded-host': 'evil.test',
      'x-forwarded-proto': 'gopher',
      forwarded: 'host=evil.test;proto=gopher',
    }
    for (const remoteAddress of ['203.0.113.7', '10.1.2.3']) {
      const payload = { url: 'https://example.com/' }
      const caller = { headers, remoteAddress }
      const created = await request({ method: 'POST', url: '/api/url/add', ...caller, payload })
      expect(created.json().shorturl).toMatch(/^http:\/\/brev\.test\/\w{7}$/)
      const account = await request({ url: '/api/account', ...caller })
      expect(account.json().data.avatar).toMatch(/^http:\/\/brev\.test\//)
      const path = `create/url/${base64('https://example.com/')}.json`
      const legacyReply = await callLegacyApi(app, owner.key, path, caller)
      expect(legacyReply.json().data.short_url).toMatch(/^http:\/\/brev\.test\/\w{7}$/)
    }
  })

  const reserved = `api avatar b docs favicon health metrics openapi qr r register robots u`.split(
    ' ',
  )
  test.for([...reserved, ...reserved.map((word) => word.toUpperCase())])(
    "cannot create an alias that hides the service's own /%s",
    async (custom, { app, owner, request }) => {
      const payload = { url: 'https://example.com/', custom }
      const reply = await request({
        method: 'POST',
        url: '/api/url/add',
        headers: owner.headers,
        payload,
      })
      expect([reply.statusCode, reply.json().message]).toEqual([400, 'custom is a reserved word'])
      const path = `create/custom_url/${custom}/url/${base64(payload.url)}.json`
      expect((await callLegacyApi(app, owner.key, path)).statusCode).toBe(400)
    },
  )
})

describe("the client's IP address", () => {
  test.for([
    ['198.51.100.9', '198.51.100.9'],
    ['192.0.2.66, 198.51.100.9', '198.51.100.9'],
    ['192.0.2.66, 198.51.100.9, 10.2.2.2', '198.51.100.9'],
    ['10.2.2.2, 10.3.3.3', '10.2.2.2'],
    ['', '10.1.1.1'],
    ['198.51.100.9:51234, [2001:db8::1]:80', '2001:db8::1'],
    ['198.51.100.9:51234', '198.51.100.9'],
    ['nonsense"><x a="', '10.1.1.1'],
  ] as const)(
    'with %j from a trusted proxy is %s',
    async ([header, expected], { hosts: { readClientAddress } }) => {
      expect(await readClientAddress({ 'x-forwarded-for': header }, '10.1.1.1')).toBe(expected)
    },
  )

  test.for(['198.51.100.9', '10.1.1.1', '127.0.0.1, 10.1.1.1', 'nonsense'])(
    'does not come from the header %j of other clients',
    async (header, { hosts: { readClientAddress } }) => {
      const headers = { 'x-forwarded-for': header, 'x-real-ip': header, forwarded: `for=${header}` }
      expect(await readClientAddress(headers, '203.0.113.7')).toBe('203.0.113.7')
    },
  )
})
