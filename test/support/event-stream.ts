import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { createInterface } from 'node:readline'

export type ServerEvent = { id: string; data: unknown }

/** Opens server-sent events at a path of a server on loopback. */
export async function openEventStream(
  { port, host }: { port: number; host: string },
  path: string,
  headers: Record<string, string>,
) {
  const request = get({
    port,
    host: '127.0.0.1',
    path,
    headers: { host, accept: 'text/event-stream', ...headers },
  })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  const events = eventsOf(response)
  return {
    status: response.statusCode,
    headers: response.headers,
    /** Resolves to the next event, or undefined when the stream ends. */
    next: async () => (await events.next()).value ?? undefined,
    close: () => request.destroy(),
  }
}

async function* eventsOf(response: IncomingMessage): AsyncGenerator<ServerEvent, void> {
  let fields: Record<string, string> = {}
  for await (const line of createInterface({ input: response })) {
    const [, name = '', value = ''] = /^(\w+): (.*)$/.exec(line) ?? []
    if (name) fields[name] = value
    if (line !== '') continue
    if (fields.data) yield { id: fields.id ?? '', data: JSON.parse(fields.data) }
    fields = {}
  }
}
