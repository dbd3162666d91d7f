import { expect, onTestFinished } from 'vitest'
import { addDomain } from '../../src/domains/domain.service.ts'
import { createDomainWatch } from '../../src/domains/domain-watch.ts'
import { createWebhookSender } from '../../src/importer/webhook-sender.ts'
import { scopeOf } from '../../src/scope.ts'
import { addWebhook } from '../../src/webhooks/webhook.service.ts'
import { startServer } from '../support/http-server.ts'
import { appTest } from '../support/test.ts'

const HOUR = 3600

const test = appTest({
  env: { DOMAIN_CHECK: 'on', OUTBOUND_ALLOW: '127.0.0.1/32' },
  lookup: async () => ['127.0.0.1'],
})
  .extend('site', async ({ app }, { onCleanup }) => {
    const site = { pointsHere: true, checks: 0, origin: '' }
    const server = await startServer((_, response) => {
      site.checks += 1
      response.end(site.pointsHere ? app.services.instance.token : 'for sale')
    })
    site.origin = `http://go.example:${server.port}`
    onCleanup(server.close)
    return site
  })
  .extend('check', ({ app }) => () => {
    const { work } = createDomainWatch(app.services, app.services.db)
    return work(new AbortController().signal)
  })
  .extend('watched', async ({ app, make, site }) => {
    const owner = await make.owner()
    const accountId = owner.account.id
    const { host } = new URL(site.origin)
    const values = { host, origin: site.origin, pointsHere: true }
    const domain = await addDomain(scopeOf(app.services, accountId), values)
    const url = 'https://hooks.example/'
    await addWebhook(scopeOf(app.services, accountId), {
      url,
      events: ['domain.failing'],
    })
    const listDeliveries = () =>
      app.services.database.db
        .selectFrom('webhook_deliveries as d')
        .innerJoin('webhook_endpoints as e', 'e.id', 'd.endpoint_id')
        .innerJoin('webhook_messages as m', 'm.id', 'd.message_id')
        .select(['m.type', 'm.data'])
        .where('e.account_id', '=', accountId)
        .orderBy('d.id')
        .execute()
    return { accountId, domain, listDeliveries }
  })

test('the event is sent once if a domain fails two checks in a row, and again only after it recovered', async ({
  app: { clock },
  site,
  check,
  watched: { domain, listDeliveries },
}) => {
  await check()
  expect([site.checks, await listDeliveries()]).toEqual([1, []])
  // Domains are checked once an hour.
  clock.advance(HOUR - 1)
  await check()
  expect(site.checks).toBe(1)

  site.pointsHere = false
  clock.advance(1)
  const failingSince = clock()
  await check()
  expect([site.checks, await listDeliveries()]).toEqual([2, []])
  clock.advance(599)
  await check()
  expect(site.checks).toBe(2)
  clock.advance(1)
  await check()
  const message = {
    type: 'domain.failing',
    data: { id: domain.id, domain: site.origin, failingSince: failingSince.toISOString() },
  }
  expect(await listDeliveries()).toEqual([message])
  clock.advance(HOUR)
  await check()
  expect([site.checks, await listDeliveries()]).toEqual([4, [message]])

  site.pointsHere = true
  clock.advance(HOUR)
  await check()
  site.pointsHere = false
  clock.advance(HOUR)
  await check()
  clock.advance(600)
  await check()
  expect(await listDeliveries()).toMatchObject([message, { type: 'domain.failing' }])
})

test('no event is sent if a domain fails a single check', async ({
  app: { clock },
  site,
  check,
  watched: { listDeliveries },
}) => {
  site.pointsHere = false
  await check()
  site.pointsHere = true
  clock.advance(600)
  await check()
  site.pointsHere = false
  clock.advance(HOUR)
  await check()
  expect([site.checks, await listDeliveries()]).toEqual([3, []])
})

test.for<[string, { events: string[] } | { disabled_at: Date; disabled_by: 'gone' }]>([
  ['without a subscription to the event', { events: ['link.created'] }],
  ['whose endpoint is disabled', { disabled_at: new Date(), disabled_by: 'gone' }],
] as const)(
  'domains of accounts %s are not checked',
  async ([, values], { app: { services, clock }, site, check, watched: { accountId } }) => {
    await services.database.db
      .updateTable('webhook_endpoints')
      .set(values)
      .where('account_id', '=', accountId)
      .execute()
    clock.advance(HOUR)
    await check()
    expect(site.checks).toBe(0)
  },
)

test('a failure of the checks has a line of its own in the log', async ({ app }) => {
  const lines: string[] = []
  const ctx = {
    ...app.services,
    clock: () => {
      throw new Error('the clock is broken')
    },
    log: (_details: object, line: string) => lines.push(line),
  }
  const worker = createWebhookSender(ctx, app.services.database.db)
  onTestFinished(worker.stop)
  worker.run()
  const expected = ['domains cannot be checked, retrying', 'webhooks cannot be sent, trying again']
  await expect.poll(() => lines.toSorted()).toEqual(expected)
})
