import { Agent, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { send } from './http.ts'
import { startServer } from './http-server.ts'

const CHECK_INTERVAL_MS = 50

/**
 * Starts a reverse proxy that distributes requests in turn to the backends whose `/health/ready`
 * returns 200. It does not retry, so every failure is visible.
 */
export async function startBalancer(backends: readonly string[]) {
  const ready = new Set<string>()
  const agent = new Agent({ keepAlive: true })
  let next = 0
  let isClosed = false
  const readinessChecks = backends.map(watchReadiness)
  const server = await startServer(forward)

  async function watchReadiness(backend: string): Promise<void> {
    while (!isClosed) {
      const { status } = await send(`${backend}/health/ready`).catch(() => ({ status: 0 }))
      if (status === 200) ready.add(backend)
      else ready.delete(backend)
      await new Promise((resolve) => setTimeout(resolve, CHECK_INTERVAL_MS))
    }
  }

  function forward(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const readyBackends = [...ready]
    const backend = readyBackends[next++ % readyBackends.length]
    if (!backend) {
      outgoing.writeHead(502).end('no backend is ready')
      return
    }
    const { method = 'GET', headers, url = '/' } = incoming
    const forwarded = request(`${backend}${url}`, { method, headers, agent }, (reply) => {
      outgoing.writeHead(reply.statusCode ?? 502, reply.headers)
      reply.pipe(outgoing)
    })
    forwarded.once('error', (error) => outgoing.writeHead(502).end(String(error)))
    incoming.pipe(forwarded)
  }

  return {
    origin: server.origin,
    isReady: (backend: string) => ready.has(backend),
    async close(): Promise<void> {
      isClosed = true
      await Promise.all(readinessChecks)
      agent.destroy()
      await server.close()
    },
  }
}
