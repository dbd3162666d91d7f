import { sql } from 'kysely'
import { describe, expect } from 'vitest'
import { addJob } from '../../src/jobs/job-queue.queries.ts'
import type { TestApp } from '../support/app.ts'
import { FORWARDING_HEADERS } from '../support/forwarding-headers.ts'
import { appTest } from '../support/test.ts'

const test = appTest({
  env: {
    METRICS_ALLOW: '198.51.100.0/24, 2001:db8:1::/48',
    TRUST_PROXY: '10.0.0.0/8, 198.51.100.8',
  },
}).extend('endpoint', { scope: 'file' }, async ({ make, request }) => {
  const owner = await make.owner()
  await make.domain(owner, { domain: 'https://brand.test' })
  const call = (remoteAddress: string, headers: Record<string, string> = {}) =>
    request({ url: '/metrics', remoteAddress, headers })
  return { call }
})

describe('GET /metrics', () => {
  test.for(['127.0.0.1', '127.1.2.3', '::1', '::ffff:127.0.0.1', '198.51.100.9', '2001:db8:1::5'])(
    'responds to %s',
    async (address, { endpoint: { call } }) => {
      const reply = await call(address)
      expect([reply.statusCode, reply.headers['content-type']]).toEqual([
        200,
        'text/plain; version=0.0.4; charset=utf-8',
      ])
      expect(reply.headers['cache-control']).toBe('no-store')
      expect(reply.body).toContain('brevis_visits_total{outcome="redirect"} 0')
    },
  )

  test.for(['203.0.113.7', '198.51.101.9', '10.0.0.1', '2001:db8:2::5', '192.168.1.1'])(
    'returns 404 to %s',
    async (address, { request, endpoint: { call } }) => {
      const unknownPage = await request({ url: '/a/b', remoteAddress: address })
      const reply = await call(address)
      expect([reply.statusCode, withoutNonce(reply.body)]).toEqual([
        404,
        withoutNonce(unknownPage.body),
      ])
    },
  )

  test.for([
    'brev.test',
    'localhost',
    'localhost:3000',
    '127.0.0.1:3000',
    '[::1]:3000',
    '10.1.1.1',
  ])('responds on the host %s', async (host, { endpoint: { call } }) => {
    expect((await call('127.0.0.1', { host })).statusCode).toBe(200)
  })

  test.for(['brand.test', 'unknown.test', 'brev.test:81', 'x.localhost', 'brev.test@evil.test'])(
    'returns 404 on the host %j',
    async (host, { endpoint: { call } }) => {
      const reply = await call('127.0.0.1', { host })
      expect([reply.statusCode, reply.body.includes('brevis_')]).toEqual([404, false])
    },
  )

  test("accepts the client's IP address only from trusted proxies", async ({
    endpoint: { call },
  }) => {
    const readStatus = async (peer: string, headers: Record<string, string>) =>
      (await call(peer, headers)).statusCode
    expect(await readStatus('10.1.2.3', { 'x-forwarded-for': '198.51.100.9' })).toBe(200)
    expect(await readStatus('10.1.2.3', { 'x-forwarded-for': '203.0.113.7' })).toBe(404)
    for (const header of FORWARDING_HEADERS) {
      expect(await readStatus('127.0.0.1', { [header]: '198.51.100.9' })).toBe(404)
      expect(await readStatus('203.0.113.7', { [header]: '127.0.0.1' })).toBe(404)
    }
  })

  test('returns 404 for a forwarded request that lacks X-Forwarded-For', async ({
    endpoint: { call },
  }) => {
    const readStatus = async (headers: Record<string, string>) =>
      (await call('198.51.100.8', headers)).statusCode
    expect(await readStatus({})).toBe(200)
    expect(await readStatus({ 'x-forwarded-for': '198.51.100.9', via: '1.1 proxy' })).toBe(200)
    for (const header of FORWARDING_HEADERS.filter((name) => name !== 'x-forwarded-for')) {
      expect(await readStatus({ [header]: '198.51.100.9' })).toBe(404)
    }
  })
})

/** Returns the values of the metrics by name and labels. */
async function readMetrics({ request }: TestApp): Promise<(series: string) => number> {
  const { body } = await request({ url: '/metrics', remoteAddress: '127.0.0.1' })
  const lines = [...body.matchAll(/^(brevis_\S+) (\S+)$/gm)]
  const values = new Map(lines.map(([, series = '', value]) => [series, Number(value)]))
  return (series) => values.get(series) ?? Number.NaN
}

const OUTCOMES = ['redirect', 'page', 'password', 'disabled', 'expired', 'not_found', 'unavailable']
const ANY_DURATION = 'le="+Inf"'

test('durations are counted for visits of every outcome, and for API calls by method', async ({
  app,
  make,
  owner,
  request,
}) => {
  const before = await readMetrics(app)
  const { alias } = await make.link(owner)
  const { alias: locked } = await make.link(owner, { password: 'a-password' })
  for (const url of [`/${alias}`, `/${alias}`, `/${locked}`, '/unknown', '/unknown/path'])
    await request({ url })
  await request({ url: '/api/account', headers: owner.headers })
  await request({ method: 'POST', url: '/api/url/add', payload: {}, headers: owner.headers })
  const after = await readMetrics(app)
  const countVisits = (read: typeof after) =>
    OUTCOMES.reduce((sum, outcome) => sum + read(`brevis_visits_total{outcome="${outcome}"}`), 0)
  const name = 'brevis_visit_duration_seconds'
  expect(countVisits(after) - countVisits(before)).toBe(5)
  expect(after(`${name}_count`)).toBe(countVisits(after))
  expect(after(`${name}_bucket{${ANY_DURATION}}`)).toBe(countVisits(after))
  expect(after(`${name}_bucket{le="0.001"}`)).toBeLessThanOrEqual(after(`${name}_bucket{le="10"}`))
  expect(after(`${name}_sum`)).toBeGreaterThan(0)
  for (const method of ['GET', 'POST']) {
    const series = `brevis_api_duration_seconds_bucket{method="${method}",${ANY_DURATION}}`
    expect([method, after(series) - (before(series) || 0)]).toEqual([method, 1])
  }
})

test('queues have the number of their entries and the age of the oldest due one', async ({
  app,
  owner,
}) => {
  const { db } = app.services
  const values = { account_id: owner.account.id, url: 'https://a.test/', secret: 'x', events: [] }
  const now = app.clock().getTime()
  const later = new Date(now + 60_000)
  const endpoints = await db
    .insertInto('webhook_endpoints')
    .values([values, { ...values, paused_until: later }, { ...values, disabled_at: later }])
    .returning('id')
    .execute()
  const message = { account_id: owner.account.id, type: 'x', data: '{}', created_at: new Date(now) }
  const [{ id } = { id: 0 }] = await db
    .insertInto('webhook_messages')
    .values(message)
    .returning('id')
    .execute()
  const createDelivery = (endpoint: number, seconds: number) => ({
    endpoint_id: endpoints[endpoint]?.id ?? 0,
    message_id: id,
    bytes: 2,
    next_at: new Date(now + seconds * 1000),
  })
  const deliveries = [createDelivery(0, -120), createDelivery(0, 60), createDelivery(1, -900)]
  await db
    .insertInto('webhook_deliveries')
    .values([...deliveries, createDelivery(2, -900)])
    .execute()
  for (const task of ['mail-test', 'check-links']) {
    await addJob(db, { task, payload: {}, key: task, maxAttempts: 3, delayMs: 3_600_000 })
  }
  await sql`update brevis_jobs._private_jobs set attempts = 1, created_at = now() - interval '1 hour'
    where key = 'mail-test'`.execute(db)
  const read = await readMetrics(app)
  const readQueue = (queue: string) => [
    read(`brevis_queue_waiting{queue="${queue}"}`),
    read(`brevis_queue_oldest_seconds{queue="${queue}"}`),
  ]
  expect(readQueue('webhooks')).toEqual([3, 120])
  expect(readQueue('jobs')).toEqual([1, 0])
  expect(readQueue('imports')).toEqual([0, 0])
  const [waiting, age] = readQueue('mail')
  expect(waiting).toBe(1)
  expect(age).toBeGreaterThanOrEqual(3600)
})

function withoutNonce(body: string): string {
  return body.replaceAll(/nonce="[^"]+"/g, '')
}
