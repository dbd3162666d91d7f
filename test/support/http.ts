import { Agent, type IncomingHttpHeaders, request as open } from 'node:http'

export type Reply = {
  status: number
  headers: IncomingHttpHeaders
  body: string
  /** Milliseconds from the start of the request to the end of its reply. */
  milliseconds: number
}

export type Request = {
  method?: string
  headers?: Record<string, string>
  json?: unknown
  /** Form fields. */
  form?: Record<string, string> | undefined
  agent?: Agent
  /** Called when the reply's headers arrive, which acknowledges the request. */
  onHead?: (status: number) => void
}

const TIMEOUT_MS = 15_000

/**
 * Sends a request, without retrying it or following redirects. Rejects if no complete reply arrives.
 */
export function send(url: string, options: Request = {}): Promise<Reply> {
  const { method = 'GET', headers = {}, json, form, agent = new Agent(), onHead } = options
  const startedAt = performance.now()
  return new Promise((resolve, reject) => {
    const body = form ? String(new URLSearchParams(form)) : JSON.stringify(json)
    const request = open(url, {
      method,
      agent,
      timeout: TIMEOUT_MS,
      headers: {
        ...(form && { 'content-type': 'application/x-www-form-urlencoded' }),
        ...(json !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
    })
    request.once('timeout', () => request.destroy(new Error(`no reply within ${TIMEOUT_MS} ms`)))
    request.once('error', reject)
    request.once('response', (response) => {
      const status = response.statusCode ?? 0
      onHead?.(status)
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (part: string) => {
        text += part
      })
      response.once('error', reject)
      response.once('end', () => {
        const milliseconds = performance.now() - startedAt
        resolve({ status, headers: response.headers, body: text, milliseconds })
      })
    })
    request.end(body)
  })
}
