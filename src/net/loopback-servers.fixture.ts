import { createServer, type RequestListener } from 'node:http'
import {
  type AddressInfo,
  createServer as createTcpServer,
  type Server,
  type Socket,
} from 'node:net'
import { onTestFinished } from 'vitest'
import type { Lookup } from './checked-connector.ts'
import { createGuardedFetch, type FetchOptions } from './guarded-fetch.ts'

export const loopback = ['127.0.0.1/32']

type Options = Omit<Parameters<typeof createGuardedFetch>[0], 'lookup'> & {
  lookup?: Lookup | Record<string, string[]>
}

/**
 * A fetcher for a test, closed with it; `lookup` may be a table of names. Unless a test says whose a
 * request is, each is an account's of its own.
 */
export function create({ lookup, ...options }: Options) {
  const guarded = createGuardedFetch({
    ...options,
    ...(lookup && { lookup: typeof lookup === 'function' ? lookup : fromTable(lookup) }),
  })
  onTestFinished(() => guarded.close())
  let accounts = 0
  return {
    close: guarded.close,
    fetch(url: string, options?: Partial<FetchOptions>) {
      accounts += 1
      return guarded.fetch(url, { account: accounts, ...options })
    },
  }
}

function fromTable(table: Record<string, string[]>): Lookup {
  return async (name) => {
    const addresses = table[name]
    if (addresses === undefined) throw new Error(`${name} is not in the table`)
    return addresses
  }
}

/** A server that nothing must reach; its `connections` tell. */
export function startCanary() {
  return startServer((_request, response) => response.end('canary'))
}

/** An HTTP server on loopback. */
export function startServer(listener: RequestListener) {
  return listen(createServer(listener))
}

/** A server on loopback that is given each connection as it is. */
export function startTcpServer(onSocket: (socket: Socket) => void) {
  return listen(
    createTcpServer((socket) => {
      socket.on('error', () => {})
      onSocket(socket)
    }),
  )
}

/** Has a server listen on loopback; gives its port, how many connections came, and `close`. */
export async function listen(server: Server) {
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
  onTestFinished(close)
  return { port, url: `http://127.0.0.1:${port}/`, connections: () => connections, close }
}

/** Sends a text again and again, a little at a time, until the other side hangs up. */
export function drip(socket: Socket, text: string): void {
  const timer = setInterval(() => socket.write(text), 10)
  socket.on('close', () => clearInterval(timer))
}

/** Sends as much as the other side takes, without end. */
export function pour(stream: NodeJS.WritableStream): void {
  const chunk = Buffer.alloc(16_384)
  const write = () => {
    while (stream.write(chunk)) {}
  }
  stream.on('drain', write)
  write()
}
