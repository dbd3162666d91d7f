import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect } from 'vitest'
import { testApp } from '../support/app.ts'
import { sendRaw } from '../support/raw-http.ts'
import { appTest } from '../support/test.ts'

const test = appTest({ env: { LOG_LEVEL: 'silent' } }).extend(
  'clients',
  { scope: 'file' },
  async ({ app, make, owner }) => {
    await make.link(owner, { alias: 'plain' })
    const { server } = app.fastify
    const defaultLimits = {
      headers: server.headersTimeout,
      request: server.requestTimeout,
      connections: server.maxConnections ?? 0,
    }
    server.headersTimeout = 2000
    server.requestTimeout = 3000
    Object.assign(server, { connectionsCheckingInterval: 100 })
    await app.listen()
    const countConnections = () =>
      new Promise((resolve) => app.fastify.server.getConnections((_error, count) => resolve(count)))
    const openMany = (length: number) => Promise.all(Array.from({ length }, open))
    async function open(): Promise<Socket> {
      const socket = connect(app.port(), '127.0.0.1')
      socket.on('error', () => {})
      await once(socket, 'connect')
      return socket
    }
    function createRequest(path: string): string {
      return `GET ${path} HTTP/1.1\r\nHost: brev.test\r\nAuthorization: Bearer ${owner.key}\r\nConnection: close\r\n\r\n`
    }
    return { countConnections, createRequest, openMany, open, defaultLimits }
  },
)

test('the server limits headers to 10 s, requests to 30 s, and connections to 10,000', ({
  clients: { defaultLimits },
}) => {
  expect(defaultLimits).toEqual({ headers: 10_000, request: 30_000, connections: 10_000 })
})

test('2,000 idle and slow connections do not block others and are closed eventually', async ({
  app,
  clients: { countConnections, createRequest, openMany },
}) => {
  const sockets: Socket[] = []
  // In groups of a hundred, so that none exceeds the system's accept queue.
  while (sockets.length < 2000) sockets.push(...(await openMany(100)))
  const slowSockets = sockets.filter((_, index) => index % 2 === 0)
  for (const socket of slowSockets)
    socket.write('GET /api/account HTTP/1.1\r\nHost: brev.test\r\nX-Sl')
  const textsAtEnd = sockets.map((socket) => text(socket).catch(() => ''))

  for (let round = 0; round < 25; round += 1) {
    for (const path of ['/plain', '/api/account']) {
      const { replies } = await sendRaw(app.port(), createRequest(path), { idleMs: 20_000 })
      expect(replies.map(({ status }) => status)).toEqual([path === '/plain' ? 302 : 200])
    }
    for (const socket of slowSockets.slice(0, 50)) if (socket.writable) socket.write('o')
  }

  for (const reply of await Promise.all(textsAtEnd)) expect(reply).toMatch(/^$|^HTTP\/1\.1 408 /)
  await expect.poll(countConnections, { timeout: 60_000 }).toBe(0)
}, 60_000)

test('a request whose body does not arrive gets 408 in the API envelope', async ({
  owner,
  clients: { open },
}) => {
  const socket = await open()
  socket.write(
    `POST /api/url/add HTTP/1.1\r\nHost: brev.test\r\nAuthorization: Bearer ${owner.key}\r\nContent-Length: 100\r\n\r\n{"url`,
  )
  const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n')
  expect(head).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/)
  expect(head).toMatch(
    /x-ratelimit-limit: \d+\r\nx-ratelimit-remaining: \d+\r\nx-ratelimit-reset: \d/,
  )
  expect(JSON.parse(body)).toEqual({ error: 1, message: expect.any(String) })
})

test('a client that never closes its side is disconnected after a 408', async ({
  app,
  clients: { countConnections },
}) => {
  const sockets = Array.from({ length: 20 }, () =>
    connect({ port: app.port(), host: '127.0.0.1', allowHalfOpen: true }),
  )
  for (const socket of sockets) socket.write('GET /plain HTTP/1.1\r\nHost: brev.test\r\nX-Sl')
  for (const reply of await Promise.all(sockets.map((socket) => text(socket)))) {
    expect(reply).toMatch(/^HTTP\/1\.1 408 /)
  }
  await expect.poll(countConnections, { timeout: 60_000 }).toBe(0)
  for (const socket of sockets) socket.destroy()
})

test('slow form submissions are closed without delaying others', async ({
  app,
  clients: { createRequest, openMany },
}) => {
  const sockets = await openMany(200)
  for (const socket of sockets) {
    socket.write(
      'POST /plain HTTP/1.1\r\nHost: brev.test\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 5000\r\n\r\npassword=',
    )
  }
  const { replies } = await sendRaw(app.port(), createRequest('/plain'), { idleMs: 20_000 })
  expect(replies[0]?.status).toBe(302)
  for (const reply of await Promise.all(sockets.map((socket) => text(socket)))) {
    expect(reply).toMatch(/^HTTP\/1\.1 408 /)
  }
})

test('a client that does not read its reply does not delay others', async ({
  app,
  make,
  clients: { createRequest, openMany },
}) => {
  const { db } = app.services.database
  const ownerOfManyLinks = await make.owner()
  const rows = Array.from({ length: 5000 }, (_, index) => ({
    account_id: ownerOfManyLinks.account.id,
    alias: `many${index}`,
    url: 'https://example.com/',
  }))
  await db.insertInto('links').values(rows).execute()
  const list = `/api/v1/${ownerOfManyLinks.key}/shorturl/list_active_urls.json`
  // More than the pool has connections.
  const pausedSockets = await openMany(30)
  for (const socket of pausedSockets) {
    socket.pause()
    socket.write(createRequest(list))
  }
  const { replies } = await sendRaw(app.port(), createRequest(list), { idleMs: 20_000 })
  expect(replies[0]?.status).toBe(200)
  for (const socket of pausedSockets) socket.destroy()
})

test('a slow client does not prevent the server from closing', async ({
  clients: { createRequest },
}) => {
  const otherApp = await testApp({ env: { LOG_LEVEL: 'silent' } })
  await otherApp.listen()
  const socket = connect(otherApp.port(), '127.0.0.1')
  await once(socket, 'connect')
  socket.write('GET /plain HTTP/1.1\r\nHost: brev.test\r\nX-Sl')
  // The reply arrives after the server has processed the other connection.
  await sendRaw(otherApp.port(), createRequest('/health/live'), { idleMs: 20_000 })
  await otherApp.close()
  expect(await text(socket)).toBe('')
})
