import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type TestApp, testApp } from '../support/app.ts'
import type { Owner } from '../support/make.ts'

describe('with the domain check on', () => {
  let checked: TestApp
  let by: Owner
  const addresses: Record<string, string[]> = {
    'here.test': ['127.0.0.1'],
    'private.test': ['127.0.0.2'],
    'private6.test': ['::1'],
  }

  beforeAll(async () => {
    checked = await testApp({
      env: { DOMAIN_CHECK: 'on', OUTBOUND_ALLOW: '127.0.0.1/32' },
      lookup: async (name) => addresses[name] ?? [],
    })
    by = await checked.make.owner()
  })
  afterAll(() => checked.close())

  const tryDomain = (domain: string) =>
    checked.request({
      method: 'POST',
      url: '/api/domain/add',
      headers: by.headers,
      payload: { domain },
    })

  /** A site on loopback that answers every request so; gives its origin and what it was asked. */
  async function site(answer: {
    status?: number
    headers?: Record<string, string>
    body?: string
  }) {
    const asked: string[] = []
    const server = createServer((request, response) => {
      asked.push(`${request.method} ${request.headers.host} ${request.url}`)
      response.writeHead(answer.status ?? 200, answer.headers).end(answer.body)
    })
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
    onTestFinished(() => void server.close())
    return { asked, origin: `http://here.test:${(server.address() as AddressInfo).port}` }
  }

  test('the service shows its token under any host', async () => {
    const url = '/.well-known/short-link-service'
    for (const host of ['brev.test', 'nobody.example']) {
      const reply = await checked.request({ url, headers: { host } })
      expect(reply.statusCode).toBe(200)
      expect(reply.headers['content-type']).toBe('text/plain; charset=utf-8')
      expect(reply.body).toBe(checked.services.instance.token)
    }
  })

  test('a domain that shows the token is added', async () => {
    const { origin, asked } = await site({ body: `${checked.services.instance.token}\n` })
    const reply = await tryDomain(origin)
    expect(reply.json()).toEqual({ error: 0, id: expect.any(Number) })
    expect(asked).toEqual([`GET ${origin.slice(7)} /.well-known/short-link-service`])
  })

  test('the running service proves itself under another of its names', async () => {
    await checked.listen()
    const reply = await tryDomain(`http://here.test:${checked.port()}`)
    expect(reply.json()).toEqual({ error: 0, id: expect.any(Number) })
  })

  test('any other answer is the same rejection, which tells nothing of it', async () => {
    const { token } = checked.services.instance
    const proof = await site({ body: token })
    const location = `${proof.origin}/.well-known/short-link-service`
    const sites = await Promise.all([
      site({ body: 'secret' }),
      site({ body: `${token}x` }),
      site({ body: '' }),
      site({ status: 404, body: token }),
      site({ status: 302, headers: { location }, body: token }),
      site({ body: token + ' '.repeat(2000) }),
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
    expect(proof.asked).toEqual([])
    const { data } = (await checked.request({ url: '/api/domains', headers: by.headers })).json()
    expect(data.domains.map(({ domain }: { domain: string }) => domain)).not.toContain(
      sites[0]?.origin,
    )
  })

  test('a repetition is answered from memory, though the domain no longer points here', async () => {
    const answer = { body: checked.services.instance.token }
    const { origin } = await site(answer)
    const options = {
      method: 'POST',
      url: '/api/domain/add',
      headers: { ...by.headers, 'idempotency-key': 'moved' },
      payload: { domain: origin },
    } as const
    const first = await checked.request(options)
    answer.body = 'somebody else'
    const second = await checked.request(options)
    expect([second.statusCode, second.body]).toEqual([200, first.body])
  })
})
