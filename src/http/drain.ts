import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { Server as NetServer } from 'node:net'
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'

type Exchange = [IncomingMessage, ServerResponse]

/** The milliseconds to wait for a moment in which nothing arrives. */
const MAX_WAIT_MS = 1000
/** The number of consecutive turns of the event loop without arrivals that make such a moment. */
const QUIET_TURNS = 3
/** Milliseconds for which requests may arrive on connections that were accepted last. */
const IDLE_MS = 200

/**
 * Closes the port of a server after `durationMs`, without resetting requests. Until then, new
 * connections are served, and every reply asks its client to close the connection. Requests in
 * progress continue: `server.close` waits for them.
 */
export async function drainServer(server: Server, durationMs: number): Promise<void> {
  // The first listener, before the one that replies.
  server.prependListener('request', (_request, reply) => {
    reply.shouldKeepAlive = false
  })
  await sleep(durationMs)
  const release = holdRequests(server)
  await untilQuiet(server)
  const closed = new Promise<void>((resolve) => {
    // Unlike the method of an HTTP server, this one keeps idle connections, on which a request may be
    // arriving.
    NetServer.prototype.close.call(server, () => resolve())
  })
  release()
  server.close = (callback) => {
    void closed.then(() => callback?.())
    return server
  }
  await sleep(IDLE_MS)
  server.closeIdleConnections()
}

/**
 * Holds requests back, so that waiting clients open no more connections. Returns the function that
 * handles them.
 */
function holdRequests(server: Server): () => void {
  const listeners = server.listeners('request') as ((...exchange: Exchange) => void)[]
  const held: Exchange[] = []
  server.removeAllListeners('request')
  server.on('request', (...exchange) => held.push(exchange))
  return () => {
    server.removeAllListeners('request')
    for (const listener of listeners) server.on('request', listener)
    for (const exchange of held) server.emit('request', ...exchange)
  }
}

/**
 * Waits for a moment without arrivals. Closing the port resets connections that the system has
 * accepted, but not this process; in such a moment there are none.
 */
async function untilQuiet(server: Server): Promise<void> {
  let quietTurns = 0
  const noteArrival = () => {
    quietTurns = 0
  }
  server.on('connection', noteArrival)
  server.on('request', noteArrival)
  const until = performance.now() + MAX_WAIT_MS
  while (quietTurns < QUIET_TURNS && performance.now() < until) {
    quietTurns += 1
    await turn()
  }
}
