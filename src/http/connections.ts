import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Logger } from 'pino'
import { onceAMinute } from '../concurrency/memo.ts'
import { toAddressBlock } from '../visitors/address.ts'

export type ConnectionLimits = {
  /**
   * Maximum concurrent connections per IP address, or 0 for no limit. All IPv6 addresses of a /64
   * network count as one.
   */
  perAddress: number
  /**
   * Returns whether many clients share an IP address, such as a proxy's. Such addresses have no
   * limit.
   */
  isShared: (address: string) => boolean
  /** Clients that read nothing of a pending reply for this long are disconnected. */
  stallTimeoutMs?: number
  checkIntervalMs?: number
  /** Counts the connections for metrics. */
  counts?: { open: number; rejected: { address: number; total: number } }
}

/** The maximum of all connections. Each idle one takes about 10 kB of memory. */
const MAX_CONNECTIONS = 10_000

/**
 * Limits the server's connections, in total and per IP address, and disconnects clients that stop
 * reading their reply. Slow readers stay connected. Returns a function that stops the checks for
 * stalled clients.
 */
export function limitConnections(
  server: Server,
  log: Pick<Logger, 'warn'>,
  {
    perAddress,
    isShared,
    stallTimeoutMs = 30_000,
    checkIntervalMs = 2000,
    counts = { open: 0, rejected: { address: 0, total: 0 } },
  }: ConnectionLimits,
): () => void {
  const openSockets = new Set<Socket>()
  const connectionsByBlock = new Map<string, number>()

  const logRejectedConnections = onceAMinute(() =>
    log.warn(
      { perAddress },
      'an IP address has reached its connection limit; rejecting its new connections',
    ),
  )

  server.maxConnections = MAX_CONNECTIONS
  server.on('drop', () => {
    counts.rejected.total += 1
  })
  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress
    // The client has already disconnected.
    if (address === undefined) return
    if (perAddress > 0 && !isShared(address) && !claimSlot(toAddressBlock(address), socket)) {
      socket.destroy()
      counts.rejected.address += 1
      logRejectedConnections()
      return
    }
    openSockets.add(socket)
    counts.open = openSockets.size
    socket.once('close', () => {
      openSockets.delete(socket)
      counts.open = openSockets.size
    })
  })

  function claimSlot(block: string, socket: Socket): boolean {
    const current = connectionsByBlock.get(block) ?? 0
    if (current >= perAddress) return false
    connectionsByBlock.set(block, current + 1)
    socket.once('close', () => {
      const remaining = (connectionsByBlock.get(block) ?? 1) - 1
      if (remaining === 0) connectionsByBlock.delete(block)
      else connectionsByBlock.set(block, remaining)
    })
    return true
  }

  // After a socket's timeout, Node's HTTP server closes the connection. The timeout restarts whenever
  // the client accepts data. It is set only for sockets with unsent data, so that other replies are
  // not slowed down.
  const timer = setInterval(() => {
    for (const socket of openSockets) {
      if (socket.writableLength > 0 && !socket.timeout) socket.setTimeout(stallTimeoutMs)
    }
  }, checkIntervalMs)
  timer.unref()
  return () => clearInterval(timer)
}
