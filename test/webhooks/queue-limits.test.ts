import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { expect, onTestFinished } from 'vitest'
import { inTransaction } from '../../src/db/transaction.ts'
import { createLinks } from '../../src/links/create-links.ts'
import { readNewLinks } from '../../src/links/new-links.ts'
import { scopeOf } from '../../src/scope.ts'
import { createOutbox } from '../../src/webhooks/outbox.ts'
import { MAX_FINISHED, QUEUE_LIMITS } from '../../src/webhooks/queue.queries.ts'
import {
  addWebhook,
  deleteWebhook,
  enableWebhook,
  getWebhook,
  listWebhookDeliveries,
  listWebhooks,
} from '../../src/webhooks/webhook.service.ts'
import type { EventType } from '../../src/webhooks/webhook.ts'
import type { TestApp } from '../support/app.ts'
import { subscribe, webhooksTest } from '../support/webhooks-test.ts'

const test = webhooksTest()

/** Returns the pending messages by endpoint ID, and the total size of an account's messages. */
async function readQueue(app: TestApp, accountId: number) {
  const { db } = app.services.database
  const { rows } = await sql<{ id: number; messages: number; bytes: number }>`
    select e.id, count(d.id)::integer as messages, coalesce(sum(d.bytes), 0)::integer as bytes
    from webhook_endpoints e
    left join webhook_deliveries d on d.endpoint_id = e.id and d.state = 'waiting'
    where e.account_id = ${accountId} group by e.id`.execute(db)
  const stored = await sql<{ messages: number; bytes: number }>`
    select count(*)::integer as messages, coalesce(sum(octet_length(data::text)), 0)::integer as bytes
    from webhook_messages where account_id = ${accountId}`.execute(db)
  const sum = (field: 'messages' | 'bytes') => rows.reduce((total, row) => total + row[field], 0)
  return {
    endpoints: new Map(rows.map((row) => [row.id, row])),
    account: { messages: sum('messages'), bytes: sum('bytes') },
    stored: stored.rows[0] ?? { messages: 0, bytes: 0 },
  }
}

test('the queue keeps only the newest of many large messages', async ({ app, receiver }) => {
  const { owner, person, page } = await subscribe(app, receiver.url, ['link.updated'])
  const { id: accountId } = owner.account
  createPublisher(app, accountId)
  for (let count = 1; count < 10; count += 1) {
    const url = `${receiver.url}other-${count}`
    await addWebhook(scopeOf(app.services, accountId), {
      url,
      events: ['link.updated'],
    })
  }
  const inputs = Array.from({ length: 100 }, () => {
    return { url: `https://example.com/${randomBytes(4050).toString('hex')}` }
  })
  const prepared = await readNewLinks(scopeOf(app.services, accountId), inputs)
  const results = await createLinks(scopeOf(app.services, accountId), prepared)
  const ids = results.map((each) => (each.status === 'fulfilled' ? each.value.id : 0))
  const id = ids.map(String)
  const { db } = app.services.database
  const readSize = async () => {
    const { rows } = await sql<{ size: number }>`
      select pg_total_relation_size('webhook_messages')
        + pg_total_relation_size('webhook_deliveries') as size`.execute(db)
    return Number(rows[0]?.size)
  }
  const sizeBefore = await readSize()
  for (let post = 0; post < 4; post += 1) {
    const action = post % 2 === 0 ? 'disable' : 'enable'
    const reply = await person.send('/console/links/change', { action, id })
    expect(reply.statusCode).toBe(303)
    const { endpoints, account } = await readQueue(app, accountId)
    for (const { messages, bytes } of endpoints.values()) {
      expect(messages).toBeLessThanOrEqual(QUEUE_LIMITS.endpoint.messages)
      expect(bytes).toBeLessThanOrEqual(QUEUE_LIMITS.endpoint.bytes)
    }
    expect(account.bytes).toBeLessThanOrEqual(QUEUE_LIMITS.account.bytes)
  }
  // Each of the 400 messages takes 8 KB once, not once per endpoint.
  expect((await readSize()) - sizeBefore).toBeLessThan(8 * 1_048_576)
  const { endpoints, stored } = await readQueue(app, accountId)
  expect(stored.bytes).toBeLessThan(QUEUE_LIMITS.endpoint.bytes)
  const [first] = await listWebhooks({ db: app.services.db, accountId }).then((all) =>
    all.toReversed(),
  )
  const waiting = endpoints.get(first?.id ?? 0)?.messages ?? 0
  expect(first?.dropped).toEqual({ count: 400 - waiting, lastAt: app.clock() })
  expect((await person.open(page)).body).toContain(`${400 - waiting} events were dropped`)

  const newest = ids.slice(-waiting).map((id) => ({ id, status: 'active' }))
  expect(await readWaiting(app, first?.id ?? 0)).toMatchObject(newest)
})

test('the queue drops the oldest of many small messages, but none of other endpoints', async ({
  app,
  receiver,
}) => {
  const { owner, id, page, person } = await subscribe(app, receiver.url, ['link.created'])
  const other = await subscribe(app, receiver.url, ['link.deleted'], owner)
  const { id: accountId } = owner.account
  const publish = createPublisher(app, accountId)
  await publish('link.deleted', [{ id: 0 }])
  const { messages: limit } = QUEUE_LIMITS.endpoint
  for (let first = 0; first < limit; first += 1000) {
    await publish('link.created', createNumbered(first, 1000))
  }
  expect((await readQueue(app, accountId)).endpoints.get(id)?.messages).toBe(limit)
  expect((await person.open(page)).body).not.toContain('dropped')

  await publish('link.created', createNumbered(limit, 1))
  const { endpoints, stored } = await readQueue(app, accountId)
  const keptCount = endpoints.get(id)?.messages ?? 0
  expect(keptCount).toBeGreaterThan(limit * 0.8)
  expect(keptCount).toBeLessThanOrEqual(limit)
  expect(stored.messages).toBe(keptCount + 1)
  expect(await readWaiting(app, id)).toEqual(createNumbered(limit + 1 - keptCount, keptCount))
  expect(await readWaiting(app, other.id)).toEqual([{ id: 0 }])
  const dropped = (limit + 1 - keptCount).toLocaleString('en')
  expect((await person.open(page)).body).toContain(
    `${dropped} events were dropped because the queue was full`,
  )
  expect((await getWebhook({ db: app.services.db, accountId }, other.id)).dropped).toBeNull()
})

test('the queue limits the messages of an account across all its endpoints', async ({
  app,
  receiver,
}) => {
  const { owner } = await subscribe(app, receiver.url, ['link.created'])
  const { id: accountId } = owner.account
  for (let count = 1; count < 4; count += 1) {
    await addWebhook(scopeOf(app.services, accountId), {
      url: receiver.url,
      events: ['link.created'],
    })
  }
  const publish = createPublisher(app, accountId)
  for (let first = 0; first < 3000; first += 1000)
    await publish('link.created', createNumbered(first, 1000))
  const { account, endpoints } = await readQueue(app, accountId)
  expect(account.messages).toBeLessThanOrEqual(QUEUE_LIMITS.account.messages)
  for (const { messages } of endpoints.values()) expect(messages).toBeGreaterThanOrEqual(2000)
})

test('concurrently published messages neither block each other nor exceed the limits of the queue', async ({
  app,
  receiver,
  worker,
}) => {
  const { owner, id } = await subscribe(app, receiver.url, ['link.created', 'link.updated'])
  const second = await subscribe(app, receiver.url, ['link.updated'], owner)
  const otherEndpoint = await subscribe(app, receiver.url, ['link.updated'], owner)
  const { id: accountId } = owner.account
  const publish = createPublisher(app, accountId)
  receiver.respondWith((_request, response) => response.writeHead(500).end())
  const floods = Array.from({ length: 24 }, async (_, index) => {
    await publish(
      index % 2 === 0 ? 'link.created' : 'link.updated',
      createNumbered(index * 500, 500),
    )
    if (index === 12) await deleteWebhook(scopeOf(app.services, accountId), otherEndpoint.id)
    if (index % 6 === 0) await worker.drain()
  })
  await Promise.all(floods)
  await publish('link.updated', [{ id: -1 }])
  receiver.respondWith((_request, response) => response.writeHead(204).end())
  receiver.received.length = 0
  const { endpoints } = await readQueue(app, accountId)
  expect([...endpoints.keys()].sort()).toEqual([id, second.id].sort())
  for (const { messages } of endpoints.values()) {
    expect(messages).toBeGreaterThan(0)
    expect(messages).toBeLessThanOrEqual(QUEUE_LIMITS.endpoint.messages)
  }
})

test('the limits of the queue are kept after it was found to be empty', async ({
  app,
  receiver,
  worker,
}) => {
  const { owner, id, path } = await subscribe(app, receiver.url, ['link.created'])
  const { id: accountId } = owner.account
  const publish = createPublisher(app, accountId)
  receiver.respondWith((_request, response) => response.writeHead(204).end())
  const { messages: limit } = QUEUE_LIMITS.endpoint
  const fill = async () => {
    for (let first = 0; first < limit; first += 1000) {
      await publish('link.created', createNumbered(first, 1000))
    }
  }
  await fill()
  const { pool } = app.services.database
  await pool.query('delete from webhook_messages')
  // Without `truncate off`, only a busy table keeps its pages.
  await pool.query('vacuum (analyze, truncate off) webhook_messages')
  await pool.query('vacuum (analyze, truncate off) webhook_deliveries')
  await fill()
  await publish('link.created', createNumbered(limit, 1))
  expect((await readQueue(app, accountId)).endpoints.get(id)?.messages).toBe(limit * 0.9)
  await pool.query(`update webhook_deliveries set state = 'delivered'
    where id <> (select max(id) from webhook_deliveries)`)
  await worker.drain()
  expect(receiver.take(path)).toHaveLength(1)
  expect((await readQueue(app, accountId)).stored.messages).toBe(MAX_FINISHED)
  await publish('link.created', createNumbered(0, limit))
  await deleteWebhook(scopeOf(app.services, accountId), id)
  expect((await readQueue(app, accountId)).stored.messages).toBe(0)
})

test('an endpoint keeps its newest finished messages for 14 days', async ({
  app,
  receiver,
  worker,
}) => {
  const { owner, id, path } = await subscribe(app, receiver.url, ['link.created'])
  const { id: accountId } = owner.account
  const publish = createPublisher(app, accountId)
  receiver.respondWith((_request, response) => response.writeHead(410).end())
  await publish('link.created', createNumbered(0, 1))
  await worker.drain()
  await enableWebhook(scopeOf(app.services, accountId), id)
  receiver.respondWith((_request, response) => response.writeHead(204).end())
  await publish('link.created', createNumbered(1, MAX_FINISHED - 1))
  await worker.drain()
  expect(receiver.take(path)).toHaveLength(MAX_FINISHED)
  const readStates = async () => {
    const deliveries = await listWebhookDeliveries({ db: app.services.db, accountId }, id)
    return deliveries.map(({ state }) => state)
  }
  expect(await readStates()).toEqual([...Array(MAX_FINISHED - 1).fill('delivered'), 'failed'])
  await publish('link.created', createNumbered(MAX_FINISHED, 1))
  await worker.drain()
  receiver.take(path)
  expect(await readStates()).toEqual(Array(MAX_FINISHED).fill('delivered'))
  expect((await readQueue(app, accountId)).stored.messages).toBe(MAX_FINISHED)
  app.clock.advance(14 * 86_400 - 1)
  await worker.drain()
  expect(await readStates()).toHaveLength(MAX_FINISHED)
  app.clock.advance(2)
  await worker.drain()
  expect(await readStates()).toEqual([])
  expect((await readQueue(app, accountId)).stored.messages).toBe(0)
})

test('the messages of a deleted endpoint are deleted with it', async ({ app, receiver }) => {
  const { owner, id, person, page } = await subscribe(app, receiver.url, ['link.created'])
  const other = await subscribe(app, receiver.url, ['link.updated'], owner)
  const publish = createPublisher(app, owner.account.id)
  await publish('link.created', createNumbered(0, 3))
  await publish('link.updated', createNumbered(3, 1))
  expect((await person.send(`${page}/delete`)).statusCode).toBe(303)
  expect(await readWaiting(app, id)).toEqual([])
  expect(await readWaiting(app, other.id)).toEqual([{ id: 3 }])
  expect((await readQueue(app, owner.account.id)).stored.messages).toBe(1)
})

/** Returns a function that publishes events of an account. After the test, its endpoints are deleted. */
function createPublisher(app: TestApp, accountId: number) {
  onTestFinished(async () => {
    for (const { id } of await listWebhooks({ db: app.services.db, accountId }))
      await deleteWebhook(scopeOf(app.services, accountId), id)
  })
  const outbox = createOutbox({ clock: app.clock })
  return (type: EventType, data: object[]) =>
    inTransaction(app.services.database.db, (tx) =>
      outbox.queueEvents({ db: tx, accountId }, type, data),
    )
}

/** Returns the pending messages of an endpoint in order. */
async function readWaiting(app: TestApp, endpointId: number) {
  const rows = await app.services.database.db
    .selectFrom('webhook_deliveries as d')
    .innerJoin('webhook_messages as m', 'm.id', 'd.message_id')
    .select('m.data')
    .where('d.endpoint_id', '=', endpointId)
    .where('d.state', '=', 'waiting')
    .orderBy('d.id')
    .execute()
  return rows.map(({ data }) => data)
}

function createNumbered(first: number, count: number): { id: number }[] {
  return Array.from({ length: count }, (_, index) => ({ id: first + index }))
}
