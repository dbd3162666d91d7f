import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Logger } from 'pino'
import { addressBlock } from '../visitors/address.ts'

export type ConnectionLimits = {
  /** Connections of one address at once (an IPv6 address counts with its /64); 0 for no limit. */
  perAddress: number
  /** Whether an address, such as a proxy's, stands for many clients and is not limited. */
  isShared: (address: string) => boolean
  /** Milliseconds for which a client may take nothing of a reply that waits for it. */
  stalled?: number
  /** Milliseconds between looks at who has stalled. */
  checkingInterval?: number
}

/** Idle connections cost some 10 kB each; more than this are taken for an attack and not accepted. */
const MAX_CONNECTIONS = 10_000
const SAY_AGAIN_MS = 60_000

/**
 * Bounds what clients may hold of a server: connections in all and for one address, and the time for
 * which a reply waits to be read. Reading slowly is no offence. Gives the function that ends the looks.
 */
export function limitConnections(
  server: Server,
  log: Pick<Logger, 'warn'>,
  { perAddress, isShared, stalled = 30_000, checkingInterval = 2000 }: ConnectionLimits,
): () => void {
  const open = new Set<Socket>()
  const counts = new Map<string, number>()
  let saidAt = -Infinity

  server.maxConnections = MAX_CONNECTIONS
  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress
    // It is gone already.
    if (address === undefined) return
    if (perAddress > 0 && !isShared(address) && !count(addressBlock(address), socket)) {
      socket.destroy()
      sayThatSomeAreRefused()
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

  function sayThatSomeAreRefused(): void {
    const now = performance.now()
    if (now - saidAt < SAY_AGAIN_MS) return
    saidAt = now
    log.warn(
      { perAddress },
      'an address has as many connections as it may: further ones are refused',
    )
  }

  // A timeout of a socket begins anew with every byte that goes out. It costs nothing where it is set
  // only for replies that wait, and the end of the reply takes it away.
  const timer = setInterval(() => {
    for (const socket of open) {
      if (socket.writableLength > 0 && !socket.timeout) socket.setTimeout(stalled)
    }
  }, checkingInterval)
  timer.unref()
  return () => clearInterval(timer)
}
