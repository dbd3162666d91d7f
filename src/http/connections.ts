import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Logger } from 'pino'
import { addressBlock } from '../visitors/address.ts'

export type ConnectionLimits = {
  /**
   * Maximum concurrent connections per address (an IPv6 address counts with its /64), 0 for no
   * limit.
   */
  perAddress: number
  /**
   * Returns whether an address, such as a proxy's, is used by many clients and so is not limited.
   */
  isShared: (address: string) => boolean
  /** Milliseconds after which a client that reads nothing of a pending reply is disconnected. */
  stalled?: number
  /** Milliseconds between checks for stalled clients. */
  checkingInterval?: number
}

/**
 * An idle connection takes about 10 kB. Further connections are treated as an attack and rejected.
 */
const MAX_CONNECTIONS = 10_000
const LOG_INTERVAL_MS = 60_000

/**
 * Limits the server's connections, in total and per address, and the time a reply waits for its
 * client to read. Slow readers are allowed as long as they read. Returns the function that stops
 * the checks.
 */
export function limitConnections(
  server: Server,
  log: Pick<Logger, 'warn'>,
  { perAddress, isShared, stalled = 30_000, checkingInterval = 2000 }: ConnectionLimits,
): () => void {
  const open = new Set<Socket>()
  const counts = new Map<string, number>()
  let loggedAt = -Infinity

  server.maxConnections = MAX_CONNECTIONS
  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress
    // The client has already disconnected.
    if (address === undefined) return
    if (perAddress > 0 && !isShared(address) && !count(addressBlock(address), socket)) {
      socket.destroy()
      logRejectedConnections()
      return
    }
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })

  function count(block: string, socket: Socket): boolean {
    const others = counts.get(block) ?? 0
    if (others >= perAddress) return false
    counts.set(block, others + 1)
    socket.once('close', () => {
      const left = (counts.get(block) ?? 1) - 1
      if (left === 0) counts.delete(block)
      else counts.set(block, left)
    })
    return true
  }

  function logRejectedConnections(): void {
    const now = performance.now()
    if (now - loggedAt < LOG_INTERVAL_MS) return
    loggedAt = now
    log.warn(
      { perAddress },
      'an address has reached its limit of connections: rejecting further ones',
    )
  }

  // A socket's timeout restarts with every byte sent. It is set only for replies that wait, so it
  // costs nothing otherwise, and is cleared at the end of the reply.
  const timer = setInterval(() => {
    for (const socket of open) {
      if (socket.writableLength > 0 && !socket.timeout) socket.setTimeout(stalled)
    }
  }, checkingInterval)
  timer.unref()
  return () => clearInterval(timer)
}
