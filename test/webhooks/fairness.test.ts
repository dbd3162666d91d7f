import type { ServerResponse } from 'node:http'
import { expect, vi } from 'vitest'
import { scopeOf } from '../../src/scope.ts'
import { addWebhook, testWebhook } from '../../src/webhooks/webhook.service.ts'
import type { TestApp } from '../support/app.ts'
import { startReceiver, startWorker } from '../support/webhooks.ts'
import { webhooksTest } from '../support/webhooks-test.ts'

const test = webhooksTest()

/** A worker's slots for endpoints that are not known to be slow. */
const PROMPT_SLOTS = 32
/** A worker's slots for endpoints that are known to be slow. */
const LIMITED_SLOTS = 16
/** A number of accounts that exceeds the slots of either kind. */
const ACCOUNTS = 40
/** Milliseconds that a busy machine may need for work that usually takes one second. */
const TIMEOUT_MS = 30_000

/** Creates an account with an endpoint at a unique path, and a sender of its messages. */
async function openAccount(app: TestApp, base: string, path: string) {
  const { account } = await app.make.owner()

  const url = new URL(path, base).href
  const id = await addWebhook(scopeOf(app.services, account.id), {
    url,
    events: ['link.created'],
  })
  return { path, send: () => testWebhook(scopeOf(app.services, account.id), id) }
}

function openAccounts(app: TestApp, base: string, prefix: string) {
  return Promise.all(
    Array.from({ length: ACCOUNTS }, (_, index) => openAccount(app, base, `/${prefix}-${index}`)),
  )
}

/** Starts a receiver that never responds to `/slow…`. */
async function startSlowReceiver() {
  const receiver = await startReceiver()
  const heldResponses: ServerResponse[] = []
  const holdSlow = () =>
    receiver.respondWith((request, response) => {
      if (request.url?.startsWith('/slow')) heldResponses.push(response)
      else response.writeHead(204).end()
    })
  return { ...receiver, heldResponses, holdSlow }
}

test("a new account's message is sent while endpoints that are not yet known to be slow do not respond", async ({
  app,
  onTestFinished,
}) => {
  const receiver = await startSlowReceiver()
  onTestFinished(receiver.close)
  receiver.holdSlow()
  const slow = await openAccounts(app, receiver.url, 'slow-unknown')
  for (const { send } of slow) await send()
  const worker = startWorker(app, { timeoutMs: 60_000 })
  onTestFinished(worker.close)
  worker.run()
  await vi.waitUntil(() => receiver.heldResponses.length >= PROMPT_SLOTS, TIMEOUT_MS)

  const idle = await openAccount(app, receiver.url, '/idle-1')
  await idle.send()
  await vi.waitUntil(() => receiver.take(idle.path).length === 1, TIMEOUT_MS)
})

test('endpoints known to be slow share a few slots', async ({ app, onTestFinished }) => {
  const receiver = await startSlowReceiver()
  onTestFinished(receiver.close)
  const { heldResponses } = receiver
  receiver.respondWith((_request, response) => {
    setTimeout(() => response.writeHead(204).end(), 100)
  })
  const slow = await openAccounts(app, receiver.url, 'slow-known')
  for (const { send } of slow) await send()
  const worker = startWorker(app, { timeoutMs: 60_000, slowAfterMs: 50 })
  onTestFinished(worker.close)
  await worker.drain()
  for (const { path } of slow) expect(receiver.take(path)).toHaveLength(1)

  receiver.holdSlow()
  for (const { send } of slow) await send()
  worker.run()
  await vi.waitUntil(() => heldResponses.length === LIMITED_SLOTS, TIMEOUT_MS)
  const idle = await openAccount(app, receiver.url, '/idle-2')
  await idle.send()
  await vi.waitUntil(() => receiver.take(idle.path).length === 1, TIMEOUT_MS)
  expect(heldResponses).toHaveLength(LIMITED_SLOTS)
  // When these finish, the others get their turn.
  for (const response of heldResponses) response.writeHead(204).end()
  await vi.waitUntil(() => heldResponses.length === 2 * LIMITED_SLOTS, TIMEOUT_MS)
})

test('accounts take turns, so that one message of each is sent before the others', async ({
  app,
  receiver,
  worker,
}) => {
  const accounts = await openAccounts(app, receiver.url, 'turn')
  for (const { send } of accounts) for (let count = 0; count < 4; count += 1) await send()
  await worker.drain()
  const accountPaths = receiver.received
    .map(({ path }) => path)
    .filter((path) => path.startsWith('/turn'))
  expect(accountPaths).toHaveLength(4 * ACCOUNTS)
  expect(new Set(accountPaths.slice(0, 2 * PROMPT_SLOTS))).toEqual(
    new Set(accounts.map(({ path }) => path)),
  )
  receiver.received.length = 0
})
