import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { expect } from 'vitest'
import { addRoutes } from '../../src/http/app.ts'
import { isVisit, serveVisitsFirst } from '../../src/http/first-visits.ts'
import { createHttpLog } from '../../src/http/logging.ts'
import { createServer } from '../../src/http/server.ts'
import { send } from '../support/http.ts'
import { exchange } from '../support/raw-http.ts'
import { routesOf } from '../support/route-table.ts'
import { appTest } from '../support/test.ts'

const base = appTest()

/** A server over the app's services that answers nothing but visits until it is told to `open`. */
const test = base.extend('first', async ({ app: { services, baseUrl } }, { onCleanup }) => {
  const log = createHttpLog(services.config)
  const server = createServer(services, { log })
  const visits = await serveVisitsFirst(server, services, log)
  onCleanup(() => server.close())
  await listen(server)
  const { port } = server.server.address() as AddressInfo
  const { host } = new URL(baseUrl)
  return {
    port,
    host,
    ask: (path: string, options: Parameters<typeof send>[1] = {}) =>
      send(`http://127.0.0.1:${port}${path}`, {
        ...options,
        headers: { host, ...options.headers },
      }),
    async open() {
      await addRoutes(server, services, { log })
      await server.ready()
      visits.handOver()
    },
  }
})

test('a visit is redirected and counted while everything else is still being loaded', async ({
  app,
  make,
  owner,
  first: { ask, open },
}) => {
  const link = await make.link(owner, { alias: 'early', url: 'https://example.com/early' })
  const early = await ask('/early?utm=1')
  expect(early).toMatchObject({ status: 302, headers: { location: 'https://example.com/early' } })
  await open()
  const later = await ask('/early?utm=1')
  expect(later.status).toBe(302)
  expect(namesOf(early.headers)).toEqual(namesOf(later.headers))
  await app.importClicks()
  expect(await app.clicksOf(owner, link.id)).toBe(2)
})

test('a visit that ends in a page gets the page that it would get later', async ({
  make,
  owner,
  first: { ask, open },
}) => {
  await make.link(owner, { alias: 'guarded', url: 'https://example.com/', password: 'secret' })
  const paths = ['/guarded', '/nothing-here']
  const early = await Promise.all(paths.map((path) => ask(path)))
  await open()
  const later = await Promise.all(paths.map((path) => ask(path)))
  expect(early.map(withoutNonce)).toEqual(later.map(withoutNonce))
  expect(early.map(({ status }) => status)).toEqual([200, 404])
})

test('whatever is no plain visit waits, and is answered as ever', async ({
  make,
  owner,
  first: { ask, host, port, open },
}) => {
  await make.link(owner, { alias: 'waiting', url: 'https://example.com/', password: 'secret' })
  const answered: string[] = []
  const waiting = [
    ask('/health/ready', {}),
    ask('/api/account', { headers: owner.headers }),
    ask('/api/url/add', {
      method: 'POST',
      headers: owner.headers,
      json: { url: 'https://example.com/', custom: 'made-while-it-loads' },
    }),
    ask('/waiting+'),
    ask('/waiting', { method: 'POST' }),
    ask('/robots.txt'),
    ask('/console'),
    ask('/%zz'),
  ].map(async (asked) => {
    const reply = await asked
    answered.push('one that waits')
    return reply.status
  })
  const absolute = exchange(
    port,
    `GET http://${host}/waiting HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
    { quiet: 20_000 },
  )
  expect((await ask('/waiting')).status).toBe(200)
  expect(answered).toEqual([])
  await open()
  expect(await Promise.all(waiting)).toEqual([200, 200, 200, 200, 401, 200, 303, 400])
  expect((await absolute).replies.map(({ status }) => status)).toEqual([200])
})

test('no path that is answered by anything else is taken for a visit', ({ app }) => {
  const taken = routesOf(app.fastify).filter(
    ({ method, url }) => url !== '/:alias' && isVisit({ method, url: url.replace(/:\w+/g, 'x') }),
  )
  expect(taken).toEqual([])
  expect(isVisit({ method: 'GET', url: '/an-alias' })).toBe(true)
})

async function listen(app: FastifyInstance): Promise<void> {
  await new Promise<void>((resolve) => app.server.listen(0, '127.0.0.1', resolve))
}

function namesOf(headers: object): string[] {
  return Object.keys(headers).sort()
}

function withoutNonce({ status, headers, body }: Awaited<ReturnType<typeof send>>) {
  const plain = (text: string) => text.replace(/nonce(-|=")[A-Za-z0-9+/=]+/g, 'nonce')
  const { 'content-security-policy': policy = '', 'content-type': type } = headers
  return { status, policy: plain(String(policy)), type, body: plain(body) }
}
