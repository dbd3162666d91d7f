import { expect } from 'vitest'
import { apiClient } from './api-client.ts'
import type { TestApp } from './app.ts'
import { signIn } from './console.ts'
import type { Owner } from './make.ts'
import { appTest } from './test.ts'
import { startReceiver, startWorker } from './webhooks.ts'

/** Tests of webhooks: `worker` sends an application's messages, for example to `receiver`. */
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

let paths = 0

/** Creates an account with an endpoint at a unique path, added in the console. */
export async function subscribe(t: TestApp, base: string, events: readonly string[], who?: Owner) {
  const owner = who ?? (await t.make.owner())
  const person = await signIn(t, owner.account.email, freshAddress())
  const path = `/hook-${paths}`
  const chosen = Object.fromEntries(events.map((type) => [type, 'on']))
  const url = new URL(path, base).href
  const added = await person.send('/console/webhooks', { url, ...chosen })
  expect(added.statusCode).toBe(303)
  const page = String(added.headers.location)
  const secret = /whsec_[\w+/=]+/.exec((await person.open(page)).body)?.[0] ?? ''
  const api = apiClient({ app: t, owner })
  return { owner, person, path, page, secret, api, id: Number(page.split('/').at(-1)) }
}

/** Returns an address without previous sign-ins. */
export function freshAddress() {
  paths += 1
  return `198.51.100.${paths}`
}
