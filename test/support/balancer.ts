import { Agent, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { send } from './http.ts'
import { startServer } from './http-server.ts'

/**
 * Starts a reverse proxy that distributes requests in turn to the backends whose `/health/ready`
 * returns 200, checked every `interval` milliseconds. It does not retry, so every failure is
 * visible.
 */
export async function startBalancer(backends: readonly string[], { interval = 50 } = {}) {
  const ready = new Set<string>()
  const agent = new Agent({ keepAlive: true })
  let next = 0
  let closed = false
  const looking = backends.map(look)
  const server = await startServer(forward)

  async function look(backend: string): Promise<void> {
    while (!closed) {
      const { status } = await send(`${backend}/health/ready`).catch(() => ({ status: 0 }))
      if (status === 200) ready.add(backend)
      else ready.delete(backend)
      await new Promise((resolve) => setTimeout(resolve, interval))
    }
  }

  function forward(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const choices = [...ready]
    const backend = choices[next++ % choices.length]
    if (!backend) {
      outgoing.writeHead(502).end('no backend is ready')
      return
    }
    const { method = 'GET', headers, url = '/' } = incoming
    const onward = request(`${backend}${url}`, { method, headers, agent }, (reply) => {
      outgoing.writeHead(reply.statusCode ?? 502, reply.headers)
      reply.pipe(outgoing)
    })
    onward.once('error', (error) => outgoing.writeHead(502).end(String(error)))
    incoming.pipe(onward)
  }

  return {
    origin: server.origin,
    isReady: (backend: string) => ready.has(backend),
    async close(): Promise<void> {
      closed = true
      await Promise.all(looking)
      agent.destroy()
      await server.close()
    },
  }
}
