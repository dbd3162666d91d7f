import { describe, expect, onTestFinished } from 'vitest'
import { startServer } from '../support/http-server.ts'
import { appTest } from '../support/test.ts'

const addresses: Record<string, string[]> = {
  'here.test': ['127.0.0.1'],
  'private.test': ['127.0.0.2'],
  'private6.test': ['::1'],
}

const test = appTest({
  env: { DOMAIN_CHECK: 'on', OUTBOUND_ALLOW: '127.0.0.1/32' },
  lookup: async (name) => addresses[name] ?? [],
}).extend(
  'tryDomain',
  { scope: 'file' },
  ({ app, owner }) =>
    (domain: string) =>
      app.request({
        method: 'POST',
        url: '/api/domain/add',
        headers: owner.headers,
        payload: { domain },
      }),
)

describe('with the domain check on', () => {
  /** Starts a site on loopback with this response. Returns its origin and received requests. */
  async function startSite(response: {
    status?: number
    headers?: Record<string, string>
    body?: string
  }) {
    const requests: string[] = []
    const server = await startServer((incoming, outgoing) => {
      requests.push(`${incoming.method} ${incoming.headers.host} ${incoming.url}`)
      outgoing.writeHead(response.status ?? 200, response.headers).end(response.body)
    })
    onTestFinished(server.close)
    return { requests, origin: `http://here.test:${server.port}` }
  }

  test('serves the token of the service on any host', async ({ app }) => {
    const url = '/.well-known/short-link-service'
    for (const host of ['brev.test', 'unknown.example']) {
      const reply = await app.request({ url, headers: { host } })
      expect(reply.statusCode).toBe(200)
      expect(reply.headers['content-type']).toBe('text/plain; charset=utf-8')
      expect(reply.body).toBe(app.services.instance.token)
    }
  })

  test('adds a domain that serves the token', async ({ app, tryDomain }) => {
    const { origin, requests } = await startSite({ body: `${app.services.instance.token}\n` })
    const reply = await tryDomain(origin)
    expect(reply.json()).toEqual({ error: 0, id: expect.any(Number) })
    expect(requests).toEqual([`GET ${origin.slice(7)} /.well-known/short-link-service`])
  })

  test('accepts an alias of the running service’s host', async ({ app, tryDomain }) => {
    await app.listen()
    const reply = await tryDomain(`http://here.test:${app.port()}`)
    expect(reply.json()).toEqual({ error: 0, id: expect.any(Number) })
  })

  test('rejects domains with any other response, all with the same message', async ({
    app,
    owner,
    tryDomain,
  }) => {
    const { token } = app.services.instance
    const proof = await startSite({ body: token })
    const location = `${proof.origin}/.well-known/short-link-service`
    const sites = await Promise.all([
      startSite({ body: 'secret' }),
      startSite({ body: `${token}x` }),
      startSite({ body: '' }),
      startSite({ status: 404, body: token }),
      startSite({ status: 302, headers: { location }, body: token }),
      startSite({ body: token + ' '.repeat(2000) }),
    ])
    const origins = [
      ...sites.map(({ origin }) => origin),
      'http://here.test:1',
      'http://private.test',
    ]
    for (const origin of [...origins, 'http://private6.test:8080', 'http://name.invalid']) {
      const reply = await tryDomain(origin)
      expect([origin, reply.statusCode, reply.json()]).toEqual([
        origin,
        400,
        { error: 1, message: 'domain must already point to this service' },
      ])
    }
    expect(proof.requests).toEqual([])
    const { data } = (await app.request({ url: '/api/domains', headers: owner.headers })).json()
    expect(data.domains.map(({ domain }: { domain: string }) => domain)).not.toContain(
      sites[0]?.origin,
    )
  })

  test('replays the reply for a used Idempotency-Key even if the domain no longer points here', async ({
    app,
    owner,
  }) => {
    const response = { body: app.services.instance.token }
    const { origin } = await startSite(response)
    const options = {
      method: 'POST',
      url: '/api/domain/add',
      headers: { ...owner.headers, 'idempotency-key': 'moved' },
      payload: { domain: origin },
    } as const
    const first = await app.request(options)
    response.body = 'another token'
    const second = await app.request(options)
    expect([second.statusCode, second.body]).toEqual([200, first.body])
  })
})
