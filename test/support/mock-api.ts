import type { IncomingHttpHeaders } from 'node:http'
import { startServer } from './http-server.ts'

export type MockRequest = { path: string; query: URLSearchParams; headers: IncomingHttpHeaders }
/** The reply: an object as JSON, or a status with optional headers and text. */
export type MockReply =
  | object
  | { status: number; headers?: Record<string, string>; text?: string | Buffer }

/**
 * Starts a mock of another service's API on loopback. Close it at the end. `requests` lists the
 * requested paths with their queries.
 */
export async function openMockApi(createReply: (request: MockRequest) => MockReply) {
  const requests: string[] = []
  const { origin, close } = await startServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://x')
    requests.push(request.url ?? '')
    const reply = createReply({ path: pathname, query: searchParams, headers: request.headers })
    if ('status' in reply && typeof reply.status === 'number') {
      const {
        status,
        headers = {},
        text = '{}',
      } = reply as { status: number } & {
        headers?: Record<string, string>
        text?: string | Buffer
      }
      response.writeHead(status, headers).end(text)
    } else {
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify(reply))
    }
  })
  return { origin, requests, close }
}
