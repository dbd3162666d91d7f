import { expect } from 'vitest'
import { apiClient } from './api-client.ts'
import type { TestApp } from './app.ts'
import { signIn } from './console.ts'
import type { Owner } from './make.ts'
import { appTest } from './test.ts'
import { startReceiver, startWorker } from './webhooks.ts'

/**
 * Returns a `test` for webhooks: `worker` sends an application's messages, for example to
 * `receiver`.
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
let addresses = 0

/** Adds an endpoint with a unique path in the console, for `who` or a new account. */
export async function subscribe(t: TestApp, base: string, events: readonly string[], who?: Owner) {
  const owner = who ?? (await t.make.owner())
  const person = await signIn(t, owner.account.email, freshAddress())
  endpoints += 1
  const path = `/hook-${endpoints}`
  const chosen = Object.fromEntries(events.map((type) => [type, 'on']))
  const url = new URL(path, base).href
  const added = await person.send('/console/webhooks', { url, ...chosen })
  expect(added.statusCode).toBe(303)
  const page = String(added.headers.location)
  const secret = /whsec_[\w+/=]+/.exec((await person.open(page)).body)?.[0] ?? ''
  const api = apiClient({ app: t, owner })
  return { owner, person, path, page, secret, api, id: Number(page.split('/').at(-1)) }
}

/** Returns an IP address without previous sign-ins. */
export function freshAddress() {
  addresses += 1
  return `198.51.100.${addresses}`
}
