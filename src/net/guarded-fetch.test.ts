import { createServer, type RequestListener } from 'node:http'
import {
  type AddressInfo,
  createServer as createTcpServer,
  type Server,
  type Socket,
} from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, test } from 'vitest'
import type { Lookup } from './checked-connector.ts'
import { createGuardedFetch } from './guarded-fetch.ts'

const loopback = ['127.0.0.1/32']
const open: (() => Promise<void> | void)[] = []

afterEach(async () => {
  for (const close of open.splice(0)) await close()
})

describe('a forbidden address', () => {
  /** `PORT` becomes the canary's port; names are resolved by `names` below. */
  const urls = [
    'http://127.0.0.1:PORT/',
    'http://127.0.0.1.:PORT/',
    'http://127.1:PORT/',
    'http://127.0.1:PORT/',
    'http://127.255.255.254:PORT/',
    'http://2130706433:PORT/',
    'http://017700000001:PORT/',
    'http://0177.0.0.1:PORT/',
    'http://0x7f000001:PORT/',
    'http://0x7f.0.0.1:PORT/',
    'http://0x7f.1:PORT/',
    'http://%31%32%37.0.0.1:PORT/',
    'http://①②⑦.⓪.⓪.①:PORT/',
    'http://127。0。0。1:PORT/',
    'http://0.0.0.0:PORT/',
    'http://0:PORT/',
    'http://[::1]:PORT/',
    'http://[0:0:0:0:0:0:0:1]:PORT/',
    'http://[::]:PORT/',
    'http://[::ffff:127.0.0.1]:PORT/',
    'http://[::ffff:7f00:1]:PORT/',
    'http://[::127.0.0.1]:PORT/',
    'http://[::ffff:0:127.0.0.1]:PORT/',
    'http://[64:ff9b::127.0.0.1]:PORT/',
    'http://[64:ff9b:1::7f00:1]:PORT/',
    'http://[2002:7f00:1::]:PORT/',
    'http://[2001:0:7f00:1::]:PORT/',
    'http://[fe80::1]:PORT/',
    'http://[fc00::1]:PORT/',
    'http://[fd12:3456::1]:PORT/',
    'http://[fec0::1]:PORT/',
    'http://[ff02::1]:PORT/',
    'http://[2001:db8::1]:PORT/',
    'http://[100::1]:PORT/',
    'http://[4000::1]:PORT/',
    'http://10.0.0.1:PORT/',
    'http://100.64.0.1:PORT/',
    'http://169.254.169.254:PORT/latest/meta-data/',
    'http://2852039166:PORT/',
    'http://172.16.0.1:PORT/',
    'http://172.31.255.255:PORT/',
    'http://192.168.0.1:PORT/',
    'http://192.0.2.1:PORT/',
    'http://198.18.0.1:PORT/',
    'http://203.0.113.9:PORT/',
    'http://224.0.0.1:PORT/',
    'http://240.0.0.1:PORT/',
    'http://255.255.255.255:PORT/',
    'http://localhost:PORT/',
    'http://localhost.:PORT/',
    'http://LOCALHOST:PORT/',
    'http://printer.internal:PORT/',
    'http://mapped.test:PORT/',
    'http://half.test:PORT/',
    'http://otherhalf.test:PORT/',
    'http://zone.test:PORT/',
    'http://short.test:PORT/',
    'http://nat64.test:PORT/',
    'https://127.0.0.1:PORT/',
    'https://printer.internal:PORT/',
  ]
  const names = {
    localhost: ['127.0.0.1', '::1'],
    'localhost.': ['127.0.0.1'],
    'printer.internal': ['127.0.0.1'],
    'mapped.test': ['::ffff:127.0.0.1'],
    'half.test': ['93.184.215.14', '127.0.0.1'],
    'otherhalf.test': ['127.0.0.1', '93.184.215.14'],
    'zone.test': ['fe80::1%lo'],
    'short.test': ['127.1'],
    'nat64.test': ['64:ff9b::7f00:1'],
  }

  test.each(urls)('%s is refused before a packet is sent', async (template) => {
    const canary = await startCanary()
    const guarded = create({ allow: [], lookup: names })

    await expect(guarded.fetch(template.replace('PORT', `${canary.port}`))).rejects.toMatchObject({
      name: 'OutboundError',
      reason: 'refused_address',
    })
    expect(canary.connections()).toBe(0)
  })

  test.each(['http://localhost:PORT/', 'http://localhost.:PORT/'])(
    'the system resolver answers for %s, and it is refused',
    async (template) => {
      const canary = await startCanary()
      const guarded = create({ allow: [] })
      await expect(guarded.fetch(template.replace('PORT', `${canary.port}`))).rejects.toMatchObject(
        { name: 'OutboundError' },
      )
      expect(canary.connections()).toBe(0)
    },
  )

  test('the canary does hear what is allowed', async () => {
    const canary = await startCanary()
    const guarded = create({ allow: loopback, lookup: names })
    await expect(guarded.fetch(`http://2130706433:${canary.port}/`)).resolves.toMatchObject({
      status: 200,
    })
    expect(canary.connections()).toBe(1)
  })

  test('an allowed network opens itself and nothing beside it', async () => {
    const canary = await startCanary()
    const guarded = create({ allow: ['10.0.0.0/8', '127.0.0.2/32', '::/128'], lookup: names })
    for (const host of ['127.0.0.1', '[::1]', '[64:ff9b::127.0.0.2]', 'half.test']) {
      await expect(guarded.fetch(`http://${host}:${canary.port}/`)).rejects.toMatchObject({
        reason: 'refused_address',
      })
    }
    expect(canary.connections()).toBe(0)
  })

  test.each([
    'http://127.0.0.2:PORT/',
    'http://2130706434:PORT/',
    'http://[::1]:PORT/',
    'http://inside.test:PORT/',
    '//127.0.0.2:PORT/',
  ])('a redirect to %s is refused', async (template) => {
    const server = await startServer((request, response) => {
      const location = template.replace('PORT', `${request.socket.localPort}`)
      response.writeHead(302, { location }).end()
    })
    const lookup = { 'outside.test': ['127.0.0.1'], 'inside.test': ['127.0.0.2'] }
    const guarded = create({ allow: loopback, lookup })

    await expect(guarded.fetch(`http://outside.test:${server.port}/`)).rejects.toMatchObject({
      reason: 'refused_address',
    })
    expect(server.connections()).toBe(1)
  })

  test('a name is looked up once, and what was checked is what is dialled', async () => {
    const server = await startServer((_request, response) => response.end('hello'))
    const answers = [['127.0.0.1'], ['127.0.0.2']]
    const guarded = create({ allow: loopback, lookup: async () => answers.shift() ?? [] })

    const reply = await guarded.fetch(`http://rebind.test:${server.port}/`)
    expect(reply.body.toString()).toBe('hello')
    expect(answers).toEqual([['127.0.0.2']])

    await expect(guarded.fetch(`http://rebind.test:${server.port}/`)).rejects.toMatchObject({
      reason: 'refused_address',
    })
    expect(server.connections()).toBe(1)
  })
})

describe('a URL', () => {
  test.each([
    '',
    'not a url',
    '/relative',
    'ftp://a.test/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'data:text/plain,x',
    'http://user@a.test/',
    'http://user:secret@a.test/',
    'http://a.test:22/',
    'http://a.test:25/',
    'https://a.test:0/',
    'http://a.test:65536/',
    'http://[fe80::1%25eth0]/',
  ])('"%s" is refused without a look-up', async (url) => {
    let lookups = 0
    const lookup = async () => {
      lookups += 1
      return ['127.0.0.1']
    }
    const guarded = create({ allow: loopback, lookup })
    await expect(guarded.fetch(url)).rejects.toMatchObject({ reason: 'refused_url' })
    expect(lookups).toBe(0)
  })

  test('a redirect may not lead to another scheme, a user name or a low port', async () => {
    for (const location of ['file:///etc/passwd', 'http://u@a.test/', 'http://a.test:22/']) {
      const server = await startServer((_request, response) => {
        response.writeHead(301, { location }).end()
      })
      const guarded = create({ allow: loopback })
      await expect(guarded.fetch(server.url)).rejects.toMatchObject({ reason: 'refused_url' })
    }
  })
})

describe('an exchange', () => {
  test('gives status, type, body and the final URL', async () => {
    const server = await startServer((request, response) => {
      if (request.url === '/start?x=1') response.writeHead(307, { location: 'end#there' }).end()
      else response.writeHead(404, { 'content-type': 'image/png; q=1' }).end('body')
    })
    const guarded = create({ allow: loopback })

    expect(await guarded.fetch(`${server.url}start?x=1`)).toEqual({
      status: 404,
      contentType: 'image/png; q=1',
      body: Buffer.from('body'),
      url: `${server.url}end#there`,
    })
  })

  test('sends the host, a name of its own, and neither cookies nor an encoding', async () => {
    const seen: Record<string, unknown>[] = []
    const server = await startServer((request, response) => {
      seen.push({ ...request.headers, url: request.url })
      if (seen.length === 1) {
        response.writeHead(302, { location: '/next', 'set-cookie': 'a=b' }).end()
      } else response.end()
    })
    const guarded = create({ allow: loopback, lookup: { 'a.test': ['127.0.0.1'] } })

    await guarded.fetch(`http://a.test:${server.port}/`)
    const headers = {
      host: `a.test:${server.port}`,
      'user-agent': 'Brevis',
      accept: '*/*',
      'accept-encoding': 'identity',
      connection: 'close',
    }
    expect(seen).toEqual([
      { ...headers, url: '/' },
      { ...headers, url: '/next' },
    ])
  })

  test('over TLS dials the checked address and names the host', async () => {
    const names: string[] = []
    const server = createTlsServer({
      SNICallback(name, done) {
        names.push(name)
        done(new Error('no certificate'))
      },
    })
    const { port } = await listen(server)
    const guarded = create({ allow: loopback, lookup: { 'secure.test': ['127.0.0.1'] } })

    await expect(guarded.fetch(`https://secure.test:${port}/`)).rejects.toMatchObject({
      reason: 'unreachable',
    })
    expect(names).toEqual(['secure.test'])
  })

  test('a second address is tried when the first does not answer', async () => {
    const server = await startServer((_request, response) => response.end('second'))
    const guarded = create({
      allow: ['127.0.0.0/8', '::1/128'],
      lookup: { 'two.test': ['::1', '127.0.0.1'] },
    })
    const reply = await guarded.fetch(`http://two.test:${server.port}/`)
    expect(reply.body.toString()).toBe('second')
  })

  test('nothing listening, no such name and a broken-off reply are unreachable', async () => {
    const gone = await startServer((_request, response) => response.end())
    await gone.close()
    const rude = await startServer((request) => request.socket.destroy())
    const lookup: Lookup = async (name) => {
      if (name === 'empty.test') return []
      throw new Error('ENOTFOUND')
    }
    const guarded = create({ allow: loopback, lookup })
    for (const url of [gone.url, rude.url, 'http://nowhere.test/', 'http://empty.test/']) {
      await expect(guarded.fetch(url)).rejects.toMatchObject({ reason: 'unreachable' })
    }
  })

  test('what is not HTTP, or is compressed, is a bad response', async () => {
    const notHttp = await startTcpServer((socket) => socket.end('220 mail.test ESMTP\r\n'))
    const bomb = await startServer((_request, response) => {
      response.setHeader('content-encoding', 'gzip')
      response.end(gzipSync(Buffer.alloc(100_000)))
    })
    const longHeaders = await startTcpServer((socket) =>
      socket.end(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}\r\n\r\n`),
    )
    const guarded = create({ allow: loopback })
    for (const url of [notHttp.url, bomb.url, longHeaders.url]) {
      await expect(guarded.fetch(url)).rejects.toMatchObject({ reason: 'bad_response' })
    }
  })

  test('an error shows nothing of the reply', async () => {
    const server = await startServer((_request, response) => {
      response.writeHead(200, 'hush-status', { 'x-secret': 'hush-header' })
      response.end('hush-body'.repeat(100))
    })
    const guarded = create({ allow: loopback, maxBytes: 10 })
    const error = await guarded.fetch(server.url).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(Error)
    expect(JSON.stringify(error) + String(error)).not.toContain('hush')
  })
})

describe('a limit', () => {
  test('ends a name that is never found', async () => {
    const guarded = create({ allow: loopback, timeoutMs: 50, lookup: () => new Promise(() => {}) })
    await expect(guarded.fetch('http://slow.test/')).rejects.toMatchObject({ reason: 'timeout' })
  })

  test('does not let abandoned look-ups pile up', async () => {
    const found: ((addresses: string[]) => void)[] = []
    const lookup: Lookup = () => new Promise((resolve) => found.push(resolve))
    const guarded = create({ allow: loopback, timeoutMs: 50, maxConcurrent: 1, lookup })

    await expect(guarded.fetch('http://slow.test/')).rejects.toMatchObject({ reason: 'timeout' })
    await expect(guarded.fetch('http://b.test/')).rejects.toMatchObject({ code: 'busy' })
    expect(found).toHaveLength(1)
  })

  test('a name that is found too late is not dialled', async () => {
    const canary = await startCanary()
    const found: ((addresses: string[]) => void)[] = []
    const lookup: Lookup = () => new Promise((resolve) => found.push(resolve))
    const guarded = create({ allow: loopback, timeoutMs: 50, lookup })

    await expect(guarded.fetch(`http://slow.test:${canary.port}/`)).rejects.toMatchObject({
      reason: 'timeout',
    })
    found[0]?.(['127.0.0.1'])
    await expect(guarded.fetch(`http://127.0.0.1:${canary.port}/`)).resolves.toBeDefined()
    expect(canary.connections()).toBe(1)
  })

  test('ends a server that is silent, one that drips headers and one that drips its body', async () => {
    const silent = await startTcpServer(() => {})
    const headers = await startTcpServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n')
      drip(socket, 'x: y\r\n')
    })
    const body = await startTcpServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n')
      drip(socket, '.')
    })
    const guarded = create({ allow: loopback, timeoutMs: 150 })
    for (const { url } of [silent, headers, body]) {
      await expect(guarded.fetch(url)).rejects.toMatchObject({ reason: 'timeout' })
    }
  })

  test('is one for all redirects together', async () => {
    const server = await startServer((_request, response) => {
      setTimeout(() => response.writeHead(302, { location: '/' }).end(), 60)
    })
    const guarded = create({ allow: loopback, timeoutMs: 150, maxRedirects: 1000 })
    await expect(guarded.fetch(server.url)).rejects.toMatchObject({ reason: 'timeout' })
  })

  test('ends redirects that go on for ever', async () => {
    const server = await startServer((_request, response) => {
      response.writeHead(302, { location: '/again' }).end('see there')
    })
    const guarded = create({ allow: loopback })

    await expect(guarded.fetch(server.url)).rejects.toMatchObject({ reason: 'too_many_redirects' })
    expect(server.connections()).toBe(4)
    await expect(guarded.fetch(server.url, { redirects: 0 })).rejects.toMatchObject({
      reason: 'too_many_redirects',
    })
    expect(server.connections()).toBe(5)
  })

  test('cuts off a body without end, also when its length was announced as small', async () => {
    const endless = await startServer((_request, response) => pour(response))
    const lying = await startTcpServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n')
      pour(socket)
    })
    const guarded = create({ allow: loopback, maxBytes: 100_000 })

    await expect(guarded.fetch(endless.url)).rejects.toMatchObject({ reason: 'too_large' })
    const reply = await guarded.fetch(lying.url).catch((error: unknown) => error)
    expect(reply).toSatisfy(
      (it: { body?: Buffer; reason?: string }) =>
        it.body?.length === 5 || it.reason === 'bad_response',
    )
  })

  test('holds to the byte', async () => {
    const server = await startServer((_request, response) => response.end('12345'))
    const guarded = create({ allow: loopback })
    await expect(guarded.fetch(server.url, { maxBytes: 5 })).resolves.toMatchObject({ status: 200 })
    await expect(guarded.fetch(server.url, { maxBytes: 4 })).rejects.toMatchObject({
      reason: 'too_large',
    })
  })

  test('a body shorter than announced is no reply', async () => {
    const server = await startTcpServer((socket) =>
      socket.end('HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\nshort'),
    )
    const guarded = create({ allow: loopback })
    await expect(guarded.fetch(server.url)).rejects.toMatchObject({ name: 'OutboundError' })
  })

  test('lets few run, few wait, and turns the rest away', async () => {
    const held: (() => void)[] = []
    const server = await startServer((_request, response) => held.push(() => response.end('ok')))
    const guarded = create({ allow: loopback, maxConcurrent: 2, maxWaiting: 3 })

    const fetches = Array.from({ length: 5 }, () => guarded.fetch(server.url))
    await expect(guarded.fetch(server.url)).rejects.toMatchObject({ code: 'busy' })
    await expect.poll(() => held.length).toBe(2)
    expect(server.connections()).toBe(2)
    for (let done = 0; done < 5; done += 1) {
      await expect.poll(() => held.length).toBeGreaterThan(0)
      held.shift()?.()
    }
    const replies = await Promise.all(fetches)
    expect(replies.map(({ body }) => body.toString())).toEqual(Array(5).fill('ok'))
    expect(server.connections()).toBe(5)
  })
})

test('closing ends what runs and refuses what waits or comes later', async () => {
  const server = await startServer(() => {})
  const guarded = create({ allow: loopback, maxConcurrent: 1 })
  const running = guarded.fetch(server.url).catch((error: unknown) => error)
  const waiting = guarded.fetch(server.url).catch((error: unknown) => error)
  await expect.poll(() => server.connections()).toBe(1)

  guarded.close()
  expect(await running).toMatchObject({ reason: 'unreachable' })
  expect(await waiting).toMatchObject({ code: 'busy' })
  await expect(guarded.fetch(server.url)).rejects.toMatchObject({ code: 'busy' })
  expect(server.connections()).toBe(1)
})

test.each(['127.0.0.1', '10.0.0.0/33', 'intranet', ''])('"%s" is no CIDR', (cidr) => {
  expect(() => createGuardedFetch({ allow: [cidr] })).toThrow('CIDR')
})

type Options = Omit<Parameters<typeof createGuardedFetch>[0], 'lookup'> & {
  lookup?: Lookup | Record<string, string[]>
}

/** A fetcher that is closed with the test; `lookup` may be a table of names. */
function create({ lookup, ...options }: Options) {
  const guarded = createGuardedFetch({
    ...options,
    ...(lookup && { lookup: typeof lookup === 'function' ? lookup : fromTable(lookup) }),
  })
  open.push(() => guarded.close())
  return guarded
}

function fromTable(table: Record<string, string[]>): Lookup {
  return async (name) => {
    const addresses = table[name]
    if (addresses === undefined) throw new Error(`${name} is not in the table`)
    return addresses
  }
}

function startCanary() {
  return startServer((_request, response) => response.end('canary'))
}

function startServer(listener: RequestListener) {
  return listen(createServer(listener))
}

function startTcpServer(onSocket: (socket: Socket) => void) {
  return listen(
    createTcpServer((socket) => {
      socket.on('error', () => {})
      onSocket(socket)
    }),
  )
}

async function listen(server: Server) {
  const sockets = new Set<Socket>()
  let connections = 0
  server.on('connection', (socket: Socket) => {
    connections += 1
    sockets.add(socket)
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const { port } = server.address() as AddressInfo
  const close = () =>
    new Promise<void>((done) => {
      server.close(() => done())
      for (const socket of sockets) socket.destroy()
    })
  open.push(close)
  return { port, url: `http://127.0.0.1:${port}/`, connections: () => connections, close }
}

function drip(socket: Socket, text: string): void {
  const timer = setInterval(() => socket.write(text), 10)
  socket.on('close', () => clearInterval(timer))
}

function pour(stream: NodeJS.WritableStream): void {
  const chunk = Buffer.alloc(16_384)
  const write = () => {
    while (stream.write(chunk)) {}
  }
  stream.on('drain', write)
  write()
}
