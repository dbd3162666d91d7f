import { expect } from 'vitest'
import { newAddress } from './addresses.ts'
import { apiClient } from './api-client.ts'
import type { TestApp } from './app.ts'
import { signIn } from './console.ts'
import type { Owner } from './make.ts'
import { appTest } from './test.ts'
import { startReceiver, startWorker } from './webhooks.ts'

/**
 * Returns a `test` for webhooks: `worker` sends the messages of `app`, and `receiver` receives those
 * to its URL.
 */
export function webhooksTest() {
  return appTest({ env: { OUTBOUND_ALLOW: '127.0.0.1/32' } })
    .extend('receiver', { scope: 'file' }, async ({ app: _ }, { onCleanup }) => {
      const receiver = await startReceiver()
      onCleanup(receiver.close)
      return receiver
    })
    .extend('worker', { scope: 'file' }, async ({ app }, { onCleanup }) => {
      const worker = startWorker(app)
      onCleanup(worker.close)
      return worker
    })
}

let endpoints = 0

/** Adds a webhook with a unique path in the console, for `caller` or a new account. */
export async function subscribe(
  app: TestApp,
  base: string,
  events: readonly string[],
  caller?: Owner,
) {
  const owner = caller ?? (await app.make.owner())
  const person = await signIn(app, owner.account.email, newAddress())
  endpoints += 1
  const path = `/hook-${endpoints}`
  const selectedEvents = Object.fromEntries(events.map((type) => [type, 'on']))
  const url = new URL(path, base).href
  const added = await person.send('/console/webhooks', { url, ...selectedEvents })
  expect(added.statusCode).toBe(303)
  const page = String(added.headers.location)
  const secret = /whsec_[\w+/=]+/.exec((await person.open(page)).body)?.[0] ?? ''
  const api = apiClient({ app, owner })
  return { owner, person, path, page, secret, api, id: Number(page.split('/').at(-1)) }
}
