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
 * Creates a fetcher that is closed at the end of the test. `lookup` may be a table of names. By
 * default, each request comes from a different account.
 */
export function createTestFetch({ lookup, ...options }: Options) {
  const guarded = createGuardedFetch({
    ...options,
    ...(lookup && { lookup: typeof lookup === 'function' ? lookup : lookUpInTable(lookup) }),
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

function lookUpInTable(table: Record<string, string[]>): Lookup {
  return async (name) => {
    const addresses = table[name]
    if (addresses === undefined) throw new Error(`${name} is not in the table`)
    return addresses
  }
}

/**
 * Starts a server to which no request may be sent. `connections` returns the number of attempts.
 */
export function startCanary() {
  return startServer((_request, response) => response.end('canary'))
}

/** Starts an HTTP server on loopback. */
export function startServer(listener: RequestListener) {
  return listen(createServer(listener))
}

/** Starts a TCP server on loopback that passes each connection to `onSocket`. */
export function startTcpServer(onSocket: (socket: Socket) => void) {
  return listen(
    createTcpServer((socket) => {
      socket.on('error', () => {})
      onSocket(socket)
    }),
  )
}

/** Makes a server listen on loopback. The server is closed at the end of the test. */
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

/** Sends a text repeatedly, in small pieces, until the other side disconnects. */
export function drip(socket: Socket, text: string): void {
  const timer = setInterval(() => socket.write(text), 10)
  socket.on('close', () => clearInterval(timer))
}

/** Sends endless data, as fast as the other side reads it. */
export function pour(stream: NodeJS.WritableStream): void {
  const chunk = Buffer.alloc(16_384)
  const write = () => {
    while (stream.write(chunk)) {}
  }
  stream.on('drain', write)
  write()
}
