import { fork } from 'node:child_process'
import { once } from 'node:events'
import { expect, vi } from 'vitest'
import { createChildEnvironment } from '../../src/config.ts'
import { scopeOf } from '../../src/scope.ts'
import {
  addWebhook,
  listWebhookDeliveries,
  testWebhook,
} from '../../src/webhooks/webhook.service.ts'
import { appTest } from '../support/test.ts'
import { startReceiver } from '../support/webhooks.ts'

const test = appTest({ env: { OUTBOUND_ALLOW: '127.0.0.1/32' } })

test('the importer process sends messages, and one that it is sending when it exits stays queued', async ({
  app,
  owner,
  onTestFinished,
}) => {
  const receiver = await startReceiver()
  onTestFinished(receiver.close)
  const { config } = app.services
  const id = await addWebhook(scopeOf(app.services, owner.account.id), {
    url: receiver.url,
    events: ['link.created'],
  })
  await testWebhook(scopeOf(app.services, owner.account.id), id)
  const child = fork('src/importer.ts', {
    env: createChildEnvironment({
      DATABASE_URL: app.databaseUrl,
      BASE_URL: app.baseUrl,
      DATA_DIR: config.dataDir,
      OUTBOUND_ALLOW: '127.0.0.1/32',
      LOG_LEVEL: 'error',
    }),
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  await vi.waitUntil(() => receiver.received.length === 1, 40_000)
  receiver.respondWith(() => {})
  await testWebhook(scopeOf(app.services, owner.account.id), id)
  await vi.waitUntil(() => receiver.received.length === 2, 20_000)
  child.kill('SIGTERM')
  expect(await once(child, 'exit')).toEqual([0, null])
  const [broken, sent] = await listWebhookDeliveries(
    { db: app.services.db, accountId: owner.account.id },
    id,
  )
  expect(sent).toMatchObject({ state: 'delivered', status: 204, attempts: 1 })
  expect(broken).toMatchObject({ state: 'waiting', attempts: 0 })
})
