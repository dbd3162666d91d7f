import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { Server as NetServer } from 'node:net'
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'

type Exchange = [IncomingMessage, ServerResponse]

/** The milliseconds to wait for a moment in which nothing arrives. */
const MAX_WAIT_MS = 1000
/** The number of consecutive turns of the event loop without arrivals that make such a moment. */
const QUIET_TURNS = 3
/**
 * Milliseconds without arrivals from the parent process. When the last worker closes the port, the
 * parent drops connections that are on their way.
 */
const SHARED_QUIET_MS = 100
const QUIET_POLL_MS = 5
/** Milliseconds within which all workers close the port. */
const SHARED_HOLD_MS = 300
/** Milliseconds for which requests may arrive on connections that were accepted last. */
const IDLE_MS = 200

/**
 * Closes the port of a server after `durationMs`, without resetting requests. Until then, new
 * connections are served, and every reply asks its client to close the connection. Requests in
 * progress continue: `server.close` waits for them. With `isPortShared`, the parent process accepts the
 * connections for several workers.
 */
export async function drainServer(
  server: Server,
  durationMs: number,
  { isPortShared = false } = {},
): Promise<void> {
  // The first listener, before the one that replies.
  server.prependListener('request', (_request, reply) => {
    reply.shouldKeepAlive = false
  })
  await sleep(durationMs)
  const release = holdRequests(server)
  await untilQuiet(server, isPortShared ? SHARED_QUIET_MS : 0)
  const closed = new Promise<void>((resolve) => {
    // Unlike the method of an HTTP server, this one keeps idle connections, on which a request may be
    // arriving.
    NetServer.prototype.close.call(server, () => resolve())
  })
  // The clients of held requests would connect to a worker that is just closing.
  if (isPortShared) await sleep(SHARED_HOLD_MS)
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
async function untilQuiet(server: Server, quietMs: number): Promise<void> {
  let quietTurns = 0
  let lastArrival = performance.now()
  const noteArrival = () => {
    quietTurns = 0
    lastArrival = performance.now()
  }
  server.on('connection', noteArrival)
  server.on('request', noteArrival)
  const until = performance.now() + MAX_WAIT_MS
  const isQuiet = () => quietTurns >= QUIET_TURNS && performance.now() - lastArrival >= quietMs
  while (!isQuiet() && performance.now() < until) {
    quietTurns += 1
    if (quietMs > 0) await sleep(QUIET_POLL_MS)
    else await turn()
  }
}
