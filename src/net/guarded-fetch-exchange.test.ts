import { createServer as createTlsServer } from 'node:tls'
import { inspect } from 'node:util'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import {
  createTestFetch,
  listen,
  loopback,
  startServer,
  startTcpServer,
} from '../../test/fixtures/loopback-servers.ts'
import type { Lookup } from './checked-connector.ts'
import { OutboundError } from './outbound-error.ts'

describe('an exchange', () => {
  test('returns status, type, body and the final URL', async () => {
    const server = await startServer((request, response) => {
      if (request.url === '/start?x=1') response.writeHead(307, { location: 'end#there' }).end()
      else response.writeHead(404, { 'content-type': 'image/png; q=1' }).end('body')
    })
    const guarded = createTestFetch({ allow: loopback })

    expect(await guarded.fetch(`${server.url}start?x=1`)).toEqual({
      status: 404,
      contentType: 'image/png; q=1',
      body: Buffer.from('body'),
      url: `${server.url}end#there`,
    })
  })

  test('sends Host and User-Agent headers, no cookies, and declines compression', async () => {
    const requests: Record<string, unknown>[] = []
    const server = await startServer((request, response) => {
      requests.push({ ...request.headers, url: request.url })
      if (requests.length === 1) {
        response.writeHead(302, { location: '/next', 'set-cookie': 'a=b' }).end()
      } else response.end()
    })
    const guarded = createTestFetch({ allow: loopback, lookup: { 'a.test': ['127.0.0.1'] } })

    await guarded.fetch(`http://a.test:${server.port}/`)
    const headers = {
      host: `a.test:${server.port}`,
      'user-agent': 'Brevis',
      accept: '*/*',
      'accept-encoding': 'identity',
      connection: 'close',
    }
    expect(requests).toEqual([
      { ...headers, url: '/' },
      { ...headers, url: '/next' },
    ])
  })

  test('connects to the checked address over TLS and sends the host name', async () => {
    const names: string[] = []
    const server = createTlsServer({
      SNICallback(name, done) {
        names.push(name)
        done(new Error('no certificate'))
      },
    })
    const { port } = await listen(server)
    const guarded = createTestFetch({ allow: loopback, lookup: async () => ['127.0.0.1'] })

    for (const host of ['secure.test', 'secure.test.']) {
      await expect(guarded.fetch(`https://${host}:${port}/`)).rejects.toMatchObject({
        reason: 'unreachable',
      })
    }
    expect(names).toEqual(['secure.test', 'secure.test'])
  })

  test('tries a second address if the first does not respond', async () => {
    const server = await startServer((_request, response) => response.end('second'))
    const guarded = createTestFetch({
      allow: ['127.0.0.0/8', '::1/128'],
      lookup: { 'two.test': ['::1', '127.0.0.1'] },
    })
    const reply = await guarded.fetch(`http://two.test:${server.port}/`)
    expect(reply.body.toString()).toBe('second')
  })

  test('reports a closed port, an unknown name and a dropped connection as unreachable', async () => {
    const stopped = await startServer((_request, response) => response.end())
    await stopped.close()
    const disconnecting = await startServer((request) => request.socket.destroy())
    const lookup: Lookup = async (name) => {
      if (name === 'empty.test') return []
      throw new Error('ENOTFOUND')
    }
    const guarded = createTestFetch({ allow: loopback, lookup })
    for (const url of [
      stopped.url,
      disconnecting.url,
      'http://nowhere.test/',
      'http://empty.test/',
    ]) {
      await expect(guarded.fetch(url)).rejects.toMatchObject({ reason: 'unreachable' })
    }
    const unknown = createTestFetch({ allow: loopback, lookup: {} })
    await expect(unknown.fetch('http://a.test/')).rejects.toMatchObject({ reason: 'unreachable' })
  })

  test('rejects compressed responses, non-HTTP responses and oversized headers as bad responses', async () => {
    const notHttp = await startTcpServer((socket) => socket.end('220 mail.test ESMTP\r\n'))
    const compressed = await startServer((_request, response) => {
      response.setHeader('content-encoding', 'gzip')
      response.end(gzipSync(Buffer.alloc(100_000)))
    })
    const longHeaders = await startTcpServer((socket) =>
      socket.end(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}\r\n\r\n`),
    )
    const guarded = createTestFetch({ allow: loopback })
    for (const url of [notHttp.url, compressed.url, longHeaders.url]) {
      await expect(guarded.fetch(url)).rejects.toMatchObject({ reason: 'bad_response' })
    }
  })

  test('accepts a few informational responses, and rejects a flood of them', async () => {
    const start = (count: number) =>
      startTcpServer((socket) =>
        socket.end(
          `${'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(count)}HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n`,
        ),
      )
    const guarded = createTestFetch({ allow: loopback })
    expect(await guarded.fetch((await start(3)).url)).toMatchObject({ status: 200 })
    const flood = guarded.fetch((await start(1000)).url)
    await expect(flood).rejects.toMatchObject({ reason: 'bad_response' })
  })

  test('rejects a redirect to an invalid URL as a bad response', async () => {
    const server = await startServer((_request, response) => {
      response.writeHead(302, { location: 'http://[' }).end()
    })
    const guarded = createTestFetch({ allow: loopback })
    await expect(guarded.fetch(server.url)).rejects.toMatchObject({ reason: 'bad_response' })
  })

  test('uses the first of repeated headers', async () => {
    const server = await startServer(({ url }, response) => {
      if (url !== '/') response.end(url)
      else response.setHeader('location', ['/first', '/second']).writeHead(302).end()
    })
    const guarded = createTestFetch({ allow: loopback })
    expect((await guarded.fetch(server.url)).body.toString()).toBe('/first')
  })

  test('does not reveal the response in errors', async () => {
    const long = await startServer((_request, response) => {
      response.writeHead(200, 'hush-status', { 'x-secret': 'hush-header' })
      response.end('hush-body'.repeat(100))
    })
    const malformed = await startTcpServer((socket) => socket.end('hush-banner\r\n'))
    const truncated = await startTcpServer((socket) =>
      socket.end('HTTP/1.1 200 hush\r\ncontent-length: 50\r\n\r\nhush-body'),
    )
    const guarded = createTestFetch({ allow: loopback, maxBytes: 10 })
    for (const { url } of [long, malformed, truncated]) {
      const error = await guarded.fetch(url).catch((reason: unknown) => reason)
      expect(error).toBeInstanceOf(OutboundError)
      expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('hush')
    }
  })
})
