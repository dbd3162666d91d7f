import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Asked = { path: string; query: URLSearchParams; headers: IncomingHttpHeaders }
/** What is answered: an object as JSON, or a status, perhaps with headers and a text. */
export type Answered = object | { status: number; headers?: Record<string, string>; text?: string }

/** A service on this machine that answers as another's API would. Close it in the end. */
export async function openStandIn(answer: (asked: Asked) => Answered) {
  const asked: string[] = []
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://x')
    asked.push(request.url ?? '')
    const reply = answer({ path: pathname, query: searchParams, headers: request.headers })
    if ('status' in reply && typeof reply.status === 'number') {
      const {
        status,
        headers = {},
        text = '{}',
      } = reply as { status: number } & {
        headers?: Record<string, string>
        text?: string
      }
      response.writeHead(status, headers).end(text)
    } else {
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify(reply))
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    async close(): Promise<void> {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
