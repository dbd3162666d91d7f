import type { InjectOptions } from 'fastify'
import { describe, expect } from 'vitest'
import { deleteDomain } from '../../src/links/domain-deletion.ts'
import { scopeOf } from '../../src/scope.ts'
import { FORWARDING_HEADERS } from '../support/forwarding-headers.ts'
import { appTest } from '../support/test.ts'

const lines: string[] = []
const logTo = { write: (line: string) => void lines.push(line) }

const test = appTest({
  env: { TRUST_PROXY: '10.0.0.0/8', OWN_HOSTS: 'www.brev.test', LOG_LEVEL: 'debug' },
  logTo,
}).extend('endpoint', { scope: 'file' }, async ({ make, owner, request }) => {
  await make.domain(owner, { domain: 'https://go.example' })
  await make.domain(owner, { domain: 'http://m\u00fcller.example' })
  const call = (name: string, options: InjectOptions = {}) =>
    request({
      url: `/internal/tls-ask?domain=${encodeURIComponent(name)}`,
      remoteAddress: '127.0.0.1',
      ...options,
      headers: { host: '127.0.0.1:3000', ...options.headers },
    })
  return { call }
})

describe('GET /internal/tls-ask', () => {
  test.for([
    'brev.test',
    'www.brev.test',
    'go.example',
    'GO.Example',
    'go.example.',
    'xn--mller-kva.example',
    'm\u00fcller.example',
  ])('allows %s', async (name, { endpoint: { call } }) => {
    const reply = await call(name)
    expect([reply.statusCode, reply.body]).toEqual([200, 'yes\n'])
    expect(reply.headers['cache-control']).toBe('no-store')
    const asHost = await call('', { url: `/internal/tls-ask?host=${encodeURIComponent(name)}` })
    expect(asHost.statusCode).toBe(200)
  })

  test.for([
    'other.example',
    'x.go.example',
    'example',
    'go.example:443',
    'go.example:8443',
    'localhost',
    '127.0.0.1',
    '2001:db8::1',
    '[2001:db8::1]',
    '',
    ' ',
    'go.example/x',
    'a@go.example',
    'go.example\u0000',
    `${'x'.repeat(300)}.example`,
  ])('rejects %j', async (name, { endpoint: { call } }) => {
    const reply = await call(name)
    expect([reply.statusCode, reply.body]).toEqual([404, 'no\n'])
  })

  test.for(['', '?domain=go.example&domain=brev.test', '?name=go.example', '?domain[]=go.example'])(
    'rejects the query %j',
    async (query, { endpoint: { call } }) => {
      const reply = await call('', { url: `/internal/tls-ask${query}` })
      expect([reply.statusCode, reply.body]).toEqual([404, 'no\n'])
    },
  )

  test('accepts a domain from its creation to its deletion', async ({
    app,
    make,
    owner,
    endpoint: { call },
  }) => {
    const readStatus = async () => (await call('new.example')).statusCode
    expect(await readStatus()).toBe(404)
    const { id } = await make.domain(owner, { domain: 'https://new.example' })
    expect(await readStatus()).toBe(200)
    await deleteDomain(scopeOf(app.services, owner.account.id), id)
    expect(await readStatus()).toBe(404)
  })

  test('responds to this machine and trusted proxies, and with 404 to others', async ({
    endpoint: { call },
  }) => {
    for (const remoteAddress of ['127.0.0.1', '::1', '10.1.2.3']) {
      expect((await call('go.example', { remoteAddress })).body).toBe('yes\n')
    }
    for (const remoteAddress of ['203.0.113.7', '192.168.1.1', '2001:db8::1']) {
      const reply = await call('go.example', { remoteAddress })
      expect([reply.statusCode, reply.headers['content-type']]).toEqual([
        404,
        'text/html; charset=utf-8',
      ])
    }
  })

  test.for(FORWARDING_HEADERS)(
    'returns 404 for forwarded requests with %s',
    async (header, { endpoint: { call } }) => {
      for (const remoteAddress of ['127.0.0.1', '10.1.2.3']) {
        const reply = await call('go.example', {
          remoteAddress,
          headers: { [header]: '127.0.0.1' },
        })
        expect(reply.statusCode).toBe(404)
        expect(reply.headers['content-type']).toBe('text/html; charset=utf-8')
      }
    },
  )

  test('is neither rate-limited nor logged', async ({ request, endpoint: { call } }) => {
    await request({ url: '/robots.txt' })
    expect(lines.join('')).toContain('/robots.txt')
    lines.length = 0
    for (let count = 0; count < 100; count += 1) {
      const reply = await call(count % 2 === 0 ? 'go.example' : 'other.example')
      expect(reply.headers).not.toHaveProperty('x-ratelimit-limit')
    }
    expect(lines).toEqual([])
  })

  test('reserves its path, but an existing link with that name still works', async ({
    app,
    make,
    owner,
    request,
  }) => {
    const { alias } = await make.link(owner)
    const { db } = app.services.database
    await db.updateTable('links').set({ alias: 'internal' }).where('alias', '=', alias).execute()
    expect((await request({ url: '/internal' })).statusCode).toBe(302)
    expect((await request({ url: '/internal/x' })).statusCode).toBe(404)
    expect((await request({ method: 'POST', url: '/internal/tls-ask' })).statusCode).toBe(404)
  })
})
