import { describe, expect, test } from 'vitest'
import {
  createTestFetch,
  drip,
  loopback,
  pour,
  startCanary,
  startServer,
  startTcpServer,
} from '../../test/fixtures/loopback-servers.ts'
import type { Lookup } from './checked-connector.ts'

describe('a guarded fetch', () => {
  test('times out if the lookup returns no result', async () => {
    const guarded = createTestFetch({
      allow: loopback,
      timeoutMs: 50,
      lookup: () => new Promise(() => {}),
    })
    await expect(guarded.fetch('http://slow.test/')).rejects.toMatchObject({ reason: 'timeout' })
  })

  test('aborts its lookup when it times out, and frees its slot', async () => {
    const server = await startServer((_request, response) => response.end('found'))
    const signals: AbortSignal[] = []
    const lookup: Lookup = (name, signal) => {
      if (name !== 'slow.test') return Promise.resolve(['127.0.0.1'])
      signals.push(signal)
      return new Promise(() => {})
    }
    const guarded = createTestFetch({ allow: loopback, timeoutMs: 1000, maxConcurrent: 1, lookup })

    await expect(guarded.fetch('http://slow.test/')).rejects.toMatchObject({ reason: 'timeout' })
    expect(signals.map(({ aborted }) => aborted)).toEqual([true])
    const reply = await guarded.fetch(`http://b.test:${server.port}/`)
    expect(reply.body.toString()).toBe('found')
  })

  test('with a slow lookup delays only requests of the same account', async () => {
    const server = await startServer((_request, response) => response.end('found'))
    const resolveLookups: ((addresses: string[]) => void)[] = []
    const lookup: Lookup = (name) =>
      name === 'fast.test'
        ? Promise.resolve(['127.0.0.1'])
        : new Promise((resolve) => resolveLookups.push(resolve))
    const guarded = createTestFetch({ allow: loopback, timeoutMs: 20_000, lookup })
    const order: string[] = []
    const slow = Array.from({ length: 8 }, async () => {
      await guarded.fetch(`http://slow.test:${server.port}/`, { account: 1 })
      order.push('slow')
    })
    await expect.poll(() => resolveLookups.length).toBe(1)
    await Promise.all(
      [2, 3].map(async (account) => {
        await guarded.fetch(`http://fast.test:${server.port}/`, { account })
        order.push('fast')
      }),
    )
    expect(resolveLookups).toHaveLength(1)
    for (let done = 1; done <= 8; done += 1) {
      await expect.poll(() => resolveLookups.length).toBe(done)
      resolveLookups.at(-1)?.(['127.0.0.1'])
    }
    await Promise.all(slow)
    expect(order).toEqual(['fast', 'fast', ...Array(8).fill('slow')])
  })

  test('does not connect after a lookup that took too long', async () => {
    const canary = await startCanary()
    const resolveLookups: ((addresses: string[]) => void)[] = []
    const lookup: Lookup = () => new Promise((resolve) => resolveLookups.push(resolve))
    const guarded = createTestFetch({ allow: loopback, timeoutMs: 50, lookup })

    await expect(guarded.fetch(`http://slow.test:${canary.port}/`)).rejects.toMatchObject({
      reason: 'timeout',
    })
    resolveLookups[0]?.(['127.0.0.1'])
    await expect(guarded.fetch(`http://127.0.0.1:${canary.port}/`)).resolves.toBeDefined()
    expect(canary.connections()).toBe(1)
  })

  test('times out if the server is silent, drips headers or drips the body', async () => {
    const silent = await startTcpServer(() => {})
    const headers = await startTcpServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n')
      drip(socket, 'x: y\r\n')
    })
    const body = await startTcpServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n')
      drip(socket, '.')
    })
    const guarded = createTestFetch({ allow: loopback, timeoutMs: 150 })
    for (const { url } of [silent, headers, body]) {
      await expect(guarded.fetch(url)).rejects.toMatchObject({ reason: 'timeout' })
    }
  })

  test('has one timeout for all redirects together', async () => {
    const server = await startServer((_request, response) => {
      setTimeout(() => response.writeHead(302, { location: '/' }).end(), 60)
    })
    const guarded = createTestFetch({ allow: loopback, timeoutMs: 150, maxRedirects: 1000 })
    await expect(guarded.fetch(server.url)).rejects.toMatchObject({ reason: 'timeout' })
  })

  test('rejects endless redirects', async () => {
    const server = await startServer((_request, response) => {
      response.writeHead(302, { location: '/again' }).end('see there')
    })
    const guarded = createTestFetch({ allow: loopback })

    await expect(guarded.fetch(server.url)).rejects.toMatchObject({ reason: 'too_many_redirects' })
    // The request and three redirects.
    expect(server.connections()).toBe(4)
    await expect(guarded.fetch(server.url, { redirects: 0 })).rejects.toMatchObject({
      reason: 'too_many_redirects',
    })
    expect(server.connections()).toBe(5)
  })

  test('cuts off an endless body, even if its announced length is small', async () => {
    const endless = await startServer((_request, response) => pour(response))
    const lying = await startTcpServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n')
      pour(socket)
    })
    const guarded = createTestFetch({ allow: loopback, maxBytes: 100_000 })

    await expect(guarded.fetch(endless.url)).rejects.toMatchObject({ reason: 'too_large' })
    const reply = await guarded.fetch(lying.url).catch((error: unknown) => error)
    expect(reply).toSatisfy(
      (result: { body?: Buffer; reason?: string }) =>
        result.body?.length === 5 || result.reason === 'bad_response',
    )
  })

  test('accepts a body of exactly the maximum size, and no larger one', async () => {
    const server = await startServer((_request, response) => response.end('12345'))
    const guarded = createTestFetch({ allow: loopback })
    await expect(guarded.fetch(server.url, { maxBytes: 5 })).resolves.toMatchObject({ status: 200 })
    await expect(guarded.fetch(server.url, { maxBytes: 4 })).rejects.toMatchObject({
      reason: 'too_large',
    })
  })

  test('fails for a body shorter than announced', async () => {
    const server = await startTcpServer((socket) =>
      socket.end('HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\nshort'),
    )
    const guarded = createTestFetch({ allow: loopback })
    await expect(guarded.fetch(server.url)).rejects.toMatchObject({ name: 'OutboundError' })
  })

  test('is rejected while the maximum number of requests is running and waiting', async () => {
    const pendingResponses: (() => void)[] = []
    const server = await startServer((_request, response) =>
      pendingResponses.push(() => response.end('ok')),
    )
    const guarded = createTestFetch({ allow: loopback, maxConcurrent: 2, maxWaiting: 3 })

    const fetches = Array.from({ length: 5 }, () => guarded.fetch(server.url))
    await expect(guarded.fetch(server.url)).rejects.toMatchObject({ code: 'busy' })
    await expect.poll(() => pendingResponses.length).toBe(2)
    expect(server.connections()).toBe(2)
    for (let done = 0; done < 5; done += 1) {
      await expect.poll(() => pendingResponses.length).toBeGreaterThan(0)
      pendingResponses.shift()?.()
    }
    const replies = await Promise.all(fetches)
    expect(replies.map(({ body }) => body.toString())).toEqual(Array(5).fill('ok'))
    expect(server.connections()).toBe(5)
  })
})

test('close ends a lookup without connecting', async () => {
  const canary = await startCanary()
  const resolveLookups: ((addresses: string[]) => void)[] = []
  const guarded = createTestFetch({
    allow: loopback,
    lookup: () => new Promise((done) => resolveLookups.push(done)),
  })
  const running = guarded.fetch(`http://slow.test:${canary.port}/`).catch((error: unknown) => error)
  await expect.poll(() => resolveLookups.length).toBe(1)

  guarded.close()
  expect(await running).toMatchObject({ reason: 'unreachable' })
  resolveLookups[0]?.(['127.0.0.1'])
  await createTestFetch({ allow: loopback }).fetch(canary.url)
  expect(canary.connections()).toBe(1)
})

test('close aborts running requests and rejects waiting and later requests', async () => {
  const server = await startServer(() => {})
  const guarded = createTestFetch({ allow: loopback, maxConcurrent: 1 })
  const running = guarded.fetch(server.url).catch((error: unknown) => error)
  const waiting = guarded.fetch(server.url).catch((error: unknown) => error)
  await expect.poll(() => server.connections()).toBe(1)

  guarded.close()
  expect(await running).toMatchObject({ reason: 'unreachable' })
  expect(await waiting).toMatchObject({ code: 'busy' })
  await expect(guarded.fetch(server.url)).rejects.toMatchObject({ code: 'busy' })
  expect(server.connections()).toBe(1)
})
