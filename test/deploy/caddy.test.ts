import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { deleteDomain } from '../../src/links/domain-deletion.ts'
import { deleteLink } from '../../src/links/link.service.ts'
import { scopeOf } from '../../src/scope.ts'
import { startCaddy } from '../support/caddy.ts'
import { send } from '../support/http.ts'
import { isInstalled } from '../support/published.ts'
import { appTest } from '../support/test.ts'

const fileTest = appTest({
  env: {
    BASE_URL: 'https://brev.test',
    TRUST_PROXY: '127.0.0.1',
    RATE_LIMIT_PER_MINUTE: '30',
  },
}).extend('caddy', { scope: 'file' }, async ({ app }, { onCleanup }) => {
  await app.listen()
  const folder = await mkdtemp(join(tmpdir(), 'brevis-caddy-'))
  const caddy = await startCaddy({ port: app.port(), folder })
  onCleanup(async () => {
    await caddy.stop()
    await rm(folder, { recursive: true, force: true })
  })
  return caddy
})

const test = fileTest.skipIf(!isInstalled('caddy'))

/** The errors that a client gets when the server aborts the handshake. */
const HANDSHAKE_ABORTED = /alert|ECONNRESET|SSL/

const json = { 'content-type': 'application/json' }

test('the service and a new domain get certificates on demand', async ({ caddy, make, owner }) => {
  const homePage = await caddy.request('brev.test', '/')
  expect([homePage.status, homePage.headers.server]).toEqual([200, 'Caddy'])
  await make.domain(owner, { domain: 'https://go.example' })
  const created = await caddy.request('brev.test', '/api/url/add', {
    method: 'POST',
    headers: { ...owner.headers, ...json },
    body: JSON.stringify({ url: 'https://example.com/', custom: 'first', domain: 'go.example' }),
  })
  expect(JSON.parse(created.body)).toMatchObject({ error: 0, shorturl: 'https://go.example/first' })
  const visit = await caddy.request('go.example', '/first')
  expect([visit.status, visit.headers.location]).toEqual([302, 'https://example.com/'])
  const ownDomain = await caddy.request('brev.test', '/api/url/add', {
    method: 'POST',
    headers: { ...owner.headers, ...json },
    body: JSON.stringify({ url: 'https://example.com/', custom: 'second' }),
  })
  expect(JSON.parse(ownDomain.body)).toMatchObject({ shorturl: 'https://brev.test/second' })
})

test('Caddy compresses visitors’ pages, but no redirects', async ({ caddy, make, owner }) => {
  const headers = { 'accept-encoding': 'gzip' }
  const { alias } = await make.link(owner)
  const { alias: protectedAlias } = await make.link(owner, { password: 'open sesame' })
  const page = await caddy.request('brev.test', `/${protectedAlias}`, { headers })
  expect([page.status, page.headers['content-encoding']]).toEqual([200, 'gzip'])
  const redirect = await caddy.request('brev.test', `/${alias}`, { headers })
  expect([redirect.status, redirect.headers['content-encoding']]).toEqual([302, undefined])
})

test('Caddy serves the domain proof over http and redirects other requests to https', async ({
  app,
  caddy,
}) => {
  const get = (path: string) =>
    send(`http://127.0.0.1:${caddy.httpPort}${path}`, { headers: { host: 'next.example' } })
  const proof = await get('/.well-known/short-link-service')
  expect([proof.status, proof.body]).toEqual([200, app.services.instance.token])
  const other = await get('/first?a=b')
  expect([other.status, other.headers.location]).toEqual([308, 'https://next.example/first?a=b'])
})

test('an unknown host gets no certificate', async ({ caddy }) => {
  for (const name of ['foreign.example', 'x.brev.test', 'localhost']) {
    await expect(caddy.request(name, '/')).rejects.toThrow(HANDSHAKE_ABORTED)
  }
})

test('a domain deleted before its first visit gets no certificate', async ({
  app,
  caddy,
  make,
  owner,
}) => {
  const { id } = await make.domain(owner, { domain: 'https://gone.example' })
  await deleteDomain(scopeOf(app.services, owner.account.id), id)
  await expect(caddy.request('gone.example', '/')).rejects.toThrow(HANDSHAKE_ABORTED)
})

// Caddy keeps a certificate until its renewal, and then asks again.
test('a deleted domain serves no links and gets no new certificate', async ({
  app,
  make,
  owner,
}) => {
  await app.listen()
  const folder = await mkdtemp(join(tmpdir(), 'brevis-caddy-'))
  const before = await startCaddy({ port: app.port(), folder })
  const { id } = await make.domain(owner, { domain: 'https://was.example' })
  const link = await make.link(owner, { domain: 'was.example', alias: 'was' })
  expect((await before.request('was.example', '/was')).status).toBe(302)
  await deleteLink(scopeOf(app.services, owner.account.id), link.id)
  await deleteDomain(scopeOf(app.services, owner.account.id), id)
  expect((await before.request('was.example', '/was')).status).toBe(404)
  await before.stop()
  await rm(join(folder, 'caddy/certificates'), { recursive: true })
  const after = await startCaddy({ port: app.port(), folder })
  await expect(after.request('was.example', '/was')).rejects.toThrow(HANDSHAKE_ABORTED)
  expect((await after.request('brev.test', '/')).status).toBe(200)
  await after.stop()
  await rm(folder, { recursive: true, force: true })
})

test('visitors are distinguished by their real IP address', async ({ caddy }) => {
  const readRemaining = async (localAddress: string, headers = {}) =>
    (await caddy.request('brev.test', '/api/account', { localAddress, headers })).headers[
      'x-ratelimit-remaining'
    ]
  expect(await readRemaining('127.0.0.2')).toBe('29')
  expect(await readRemaining('127.0.0.3')).toBe('29')
  expect(await readRemaining('127.0.0.2', { 'x-forwarded-for': '198.51.100.1' })).toBe('28')
  expect(
    await readRemaining('127.0.0.2', { forwarded: 'for=198.51.100.1', 'x-real-ip': '::1' }),
  ).toBe('27')
})

test('the certificate endpoint is not reachable from outside', async ({ caddy }) => {
  const reply = await caddy.request('brev.test', '/internal/tls-ask?domain=brev.test')
  expect([reply.status, reply.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8'])
})
