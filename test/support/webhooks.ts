import type { IncomingMessage, ServerResponse } from 'node:http'
import { Webhook } from 'standardwebhooks'
import { vi } from 'vitest'
import { createWebhookSender } from '../../src/importer/webhook-sender.ts'
import type { Lookup } from '../../src/net/checked-connector.ts'
import type { TestApp } from './app.ts'
import { openPatiently } from './database.ts'
import { startServer } from './http-server.ts'

export type Received = {
  path: string
  headers: Record<string, string>
  body: string
}

type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void

/** Starts a receiver of webhook messages on loopback. It responds with 204 by default. */
export async function startReceiver() {
  const received: Received[] = []
  let handler: RequestHandler = (_request, response) => response.writeHead(204).end()
  const { origin, close } = await startServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += String(chunk)
    const headers = request.headers as Record<string, string>
    received.push({ path: request.url ?? '', headers, body })
    handler(request, response)
  })
  return {
    url: `${origin}/`,
    received,
    /** Removes the messages to a path from `received` and returns them. */
    take(path: string) {
      const ownMessages = received.filter((each) => each.path === path)
      for (const each of ownMessages) received.splice(received.indexOf(each), 1)
      return ownMessages
    },
    /** Replaces the function that responds to messages. */
    respondWith(next: RequestHandler) {
      handler = next
    },
    close,
  }
}

type WorkerOptions = Parameters<typeof createWebhookSender>[2] & { lookup?: Lookup }

/**
 * Creates the sender of an application's messages, with the application's clock: `drain` sends all due
 * messages once, and `run` until closed.
 */
export function startWorker(
  app: TestApp,
  { timeoutMs = 5000, lookup, ...options }: WorkerOptions = {},
) {
  const database = openPatiently(app.databaseUrl, { name: 'webhooks', max: 4 })
  const log = (details: object) => console.error(details)
  const ctx = { ...app.services, log, lookup: lookup ?? app.services.lookup }
  const worker = createWebhookSender(ctx, database.db, { timeoutMs, ...options })
  return {
    drain: worker.drain,
    run: worker.run,
    async close() {
      await worker.stop()
      await database.close()
    },
  }
}

/** Returns the verified content of a message. Throws for an invalid signature. */
export function verify(app: TestApp, secret: string, { headers, body }: Received): unknown {
  // The package compares the timestamp with the system's clock.
  vi.useFakeTimers({ toFake: ['Date'], now: app.clock() })
  try {
    return new Webhook(secret).verify(body, headers)
  } finally {
    vi.useRealTimers()
  }
}
