import { describe, expect } from 'vitest'
import { FORWARDING_HEADERS } from '../support/forwarding-headers.ts'
import { appTest } from '../support/test.ts'

const test = appTest({
  env: {
    METRICS_ALLOW: '198.51.100.0/24, 2001:db8:1::/48',
    TRUST_PROXY: '10.0.0.0/8, 198.51.100.8',
  },
}).extend('endpoint', { scope: 'file' }, async ({ make, request }) => {
  const owner = await make.owner()
  await make.domain(owner, { domain: 'https://brand.test' })
  const call = (remoteAddress: string, headers: Record<string, string> = {}) =>
    request({ url: '/metrics', remoteAddress, headers })
  return { call }
})

describe('GET /metrics', () => {
  test.for(['127.0.0.1', '127.1.2.3', '::1', '::ffff:127.0.0.1', '198.51.100.9', '2001:db8:1::5'])(
    'responds to %s',
    async (address, { endpoint: { call } }) => {
      const reply = await call(address)
      expect([reply.statusCode, reply.headers['content-type']]).toEqual([
        200,
        'text/plain; version=0.0.4; charset=utf-8',
      ])
      expect(reply.headers['cache-control']).toBe('no-store')
      expect(reply.body).toContain('brevis_visits_total{outcome="redirect"} 0')
    },
  )

  test.for(['203.0.113.7', '198.51.101.9', '10.0.0.1', '2001:db8:2::5', '192.168.1.1'])(
    'returns 404 to %s',
    async (address, { request, endpoint: { call } }) => {
      const unknownPage = await request({ url: '/a/b', remoteAddress: address })
      const reply = await call(address)
      expect([reply.statusCode, withoutNonce(reply.body)]).toEqual([
        404,
        withoutNonce(unknownPage.body),
      ])
    },
  )

  test.for([
    'brev.test',
    'localhost',
    'localhost:3000',
    '127.0.0.1:3000',
    '[::1]:3000',
    '10.1.1.1',
  ])('responds on the host %s', async (host, { endpoint: { call } }) => {
    expect((await call('127.0.0.1', { host })).statusCode).toBe(200)
  })

  test.for(['brand.test', 'unknown.test', 'brev.test:81', 'x.localhost', 'brev.test@evil.test'])(
    'returns 404 on the host %j',
    async (host, { endpoint: { call } }) => {
      const reply = await call('127.0.0.1', { host })
      expect([reply.statusCode, reply.body.includes('brevis_')]).toEqual([404, false])
    },
  )

  test("accepts the client's IP address only from trusted proxies", async ({
    endpoint: { call },
  }) => {
    const readStatus = async (peer: string, headers: Record<string, string>) =>
      (await call(peer, headers)).statusCode
    expect(await readStatus('10.1.2.3', { 'x-forwarded-for': '198.51.100.9' })).toBe(200)
    expect(await readStatus('10.1.2.3', { 'x-forwarded-for': '203.0.113.7' })).toBe(404)
    for (const header of FORWARDING_HEADERS) {
      expect(await readStatus('127.0.0.1', { [header]: '198.51.100.9' })).toBe(404)
      expect(await readStatus('203.0.113.7', { [header]: '127.0.0.1' })).toBe(404)
    }
  })

  test('returns 404 for a forwarded request that lacks X-Forwarded-For', async ({
    endpoint: { call },
  }) => {
    const readStatus = async (headers: Record<string, string>) =>
      (await call('198.51.100.8', headers)).statusCode
    expect(await readStatus({})).toBe(200)
    expect(await readStatus({ 'x-forwarded-for': '198.51.100.9', via: '1.1 proxy' })).toBe(200)
    for (const header of FORWARDING_HEADERS.filter((name) => name !== 'x-forwarded-for')) {
      expect(await readStatus({ [header]: '198.51.100.9' })).toBe(404)
    }
  })
})

function withoutNonce(body: string): string {
  return body.replaceAll(/nonce="[^"]+"/g, '')
}
