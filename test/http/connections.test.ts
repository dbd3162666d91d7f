import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { networkInterfaces } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, vi } from 'vitest'
import { type TestApp, testApp } from '../support/app.ts'
import { appTest } from '../support/test.ts'

const LIMIT = 5
const NO_LOG = { LOG_LEVEL: 'silent' }
/** A non-loopback address of this machine, which some containers lack. */
const ownIpAddress = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address

/** A connection is closed after this many milliseconds in which the client read nothing. */
const IDLE_TIMEOUT_MS = 1000

const test = appTest({
  env: NO_LOG,
  connections: { stallTimeoutMs: IDLE_TIMEOUT_MS, checkIntervalMs: 50 },
})
  .extend('port', { scope: 'file' }, async ({ app }) => {
    await app.listen()
    return app.port()
  })
  /** The path of a long reply: a list of 10,000 links. */
  .extend('listPath', { scope: 'file' }, async ({ app, owner }) => {
    // More than the system buffers for a connection that is not read.
    const rows = Array.from({ length: 10_000 }, (_, index) => ({
      account_id: owner.account.id,
      alias: `${index}${'x'.repeat(1000)}`,
      url: 'https://example.com/',
    }))
    await app.services.database.db.insertInto('links').values(rows).execute()
    return `/api/v1/${owner.key}/shorturl/list_active_urls.json`
  })

describe('a client of a long reply', () => {
  test('is disconnected if it reads nothing', async ({ app, listPath, port }) => {
    const pausedSockets = await Promise.all(Array.from({ length: 10 }, () => open(port)))
    for (const socket of pausedSockets) {
      socket.pause()
      socket.write(createRequest(listPath))
    }
    await vi.waitUntil(async () => (await countConnections(app)) === pausedSockets.length, {
      timeout: 60_000,
    })
    await vi.waitUntil(async () => (await countConnections(app)) === 0, { timeout: 60_000 })
  })

  test('gets the complete reply if it reads slowly', async ({ listPath, port }) => {
    const socket = await open(port)
    socket.write(createRequest(listPath).replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'))
    const startedAt = performance.now()
    let length = 0
    for await (const chunk of socket) {
      length += (chunk as Buffer).length
      // Limits the rate by bytes, so that the total takes longer than the idle timeout.
      while (performance.now() - startedAt < (length / 10_000_000) * 2 * IDLE_TIMEOUT_MS)
        await sleep(5)
    }
    expect(length).toBeGreaterThan(10_000_000)
    expect(performance.now() - startedAt).toBeGreaterThan(IDLE_TIMEOUT_MS)
  })

  test('keeps its connection after the reply', async ({ port }) => {
    const socket = await open(port)
    socket.write(createRequest('/health/live'))
    await once(socket, 'data')
    await sleep(2 * IDLE_TIMEOUT_MS)
    socket.write(createRequest('/health/live'))
    const [reply] = await once(socket, 'data')
    expect(String(reply)).toContain('200 OK')
    socket.destroy()
  })
})

describe('connections from one IP address', () => {
  test('beyond the limit are closed until another connection ends', async () => {
    const lines: string[] = []
    const app = await startApp(
      { CONNECTIONS_PER_ADDRESS: String(LIMIT), LOG_LEVEL: 'warn' },
      { connections: { isShared: () => false }, logTo: { write: (line) => lines.push(line) } },
    )
    const sockets = await openMany(app, LIMIT)
    for (let attempt = 0; attempt < 2; attempt += 1)
      expect(await getsReply(await open(app.port()))).toBe(false)
    expect(await Promise.all(sockets.map(getsReply))).toEqual(Array(LIMIT).fill(true))
    expect(lines.map((line) => JSON.parse(line).msg)).toEqual([
      'an IP address has reached its connection limit; rejecting its new connections',
    ])
    expect(lines.join('')).not.toContain('127.0.0.1')
    const { body } = await app.request({ url: '/metrics', remoteAddress: '127.0.0.1' })
    expect(body).toMatch(new RegExp(`^brevis_connections ${LIMIT}$`, 'm'))
    expect(body).toMatch(/^brevis_connections_rejected_total\{limit="address"\} 2$/m)
    expect(body).toMatch(/^brevis_connections_rejected_total\{limit="total"\} 0$/m)
    sockets[0]?.destroy()
    await vi.waitUntil(async () => (await countConnections(app)) < LIMIT, { timeout: 60_000 })
    expect(await getsReply(await open(app.port()))).toBe(true)
  })

  test('are not limited from this machine or if the setting is 0', async () => {
    const local = await startApp({ CONNECTIONS_PER_ADDRESS: '1' })
    expect(await Promise.all((await openMany(local, 3)).map(getsReply))).toEqual([true, true, true])
    const unlimited = await startApp(
      { CONNECTIONS_PER_ADDRESS: '0' },
      { connections: { isShared: () => false } },
    )
    expect(await Promise.all((await openMany(unlimited, 3)).map(getsReply))).toEqual([
      true,
      true,
      true,
    ])
  })

  test.runIf(ownIpAddress)('from a trusted proxy are not limited', async () => {
    const env = { CONNECTIONS_PER_ADDRESS: '1' }
    for (const [proxies, expected] of [
      ['', [false, true]],
      [ownIpAddress ?? '', [true, true]],
    ] as const) {
      const app = await testApp({ env: { ...NO_LOG, ...env, TRUST_PROXY: proxies } })
      onTestFinished(app.close)
      await app.fastify.listen({ host: '0.0.0.0', port: 0 })
      const sockets = [await open(app.port(), ownIpAddress), await open(app.port(), ownIpAddress)]
      expect((await Promise.all(sockets.map(getsReply))).sort()).toEqual(expected)
    }
  })
})

async function startApp(
  env: Record<string, string>,
  options: Parameters<typeof testApp>[0] = {},
): Promise<TestApp> {
  const app = await testApp({ ...options, env: { ...NO_LOG, ...env } })
  onTestFinished(app.close)
  await app.listen()
  return app
}

function openMany(app: TestApp, length: number): Promise<Socket[]> {
  return Promise.all(Array.from({ length }, () => open(app.port())))
}

async function open(port: number, host = '127.0.0.1'): Promise<Socket> {
  const socket = connect(port, host)
  socket.on('error', () => {})
  await once(socket, 'connect')
  onTestFinished(() => void socket.destroy())
  return socket
}

/** Sends a request and returns whether it gets a reply before the connection is closed. */
function getsReply(socket: Socket): Promise<boolean> {
  return new Promise((resolve) => {
    socket.once('data', () => resolve(true))
    socket.once('close', () => resolve(false))
    if (socket.destroyed) resolve(false)
    socket.write(createRequest('/health/live'))
  })
}

/** Returns the number of the server's open connections. */
function countConnections(app: TestApp): Promise<number> {
  return new Promise((resolve) =>
    app.fastify.server.getConnections((_error, count) => resolve(count)),
  )
}

function createRequest(path: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: brev.test\r\n\r\n`
}
