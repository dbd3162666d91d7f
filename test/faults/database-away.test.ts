import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, expect } from 'vitest'
import { tableHead } from '../support/accounting.ts'
import { type Deployment, faultRounds } from '../support/deployment.ts'
import { privateDeploymentTest } from '../support/deployment-test.ts'
import { type Reply, send } from '../support/http.ts'
import { signal, until } from '../support/processes.ts'

const table: string[] = []
const timeout = 240_000 + faultRounds * 30_000

const test = privateDeploymentTest()
  .extend('instance', { scope: 'file' }, async ({ deployment }) => {
    const instance = await deployment.createInstance()
    await instance.start()
    return instance
  })
  /** Caches every link with HEAD requests, which are not counted. */
  .extend('warmUp', { scope: 'file' }, ({ deployment, instance }) => async (): Promise<void> => {
    for (const alias of deployment.aliases) {
      expect(await send(`${instance.origin}/${alias}`, { method: 'HEAD' })).toMatchObject({
        status: 302,
      })
    }
  })
  /**
   * Runs `injectFault` repeatedly under load. Compares the counts after all clicks are imported,
   * without a restart.
   */
  .extend(
    'underLoad',
    { scope: 'file' },
    ({ instance, warmUp, deployment }) =>
      async (fault: string, injectFault: () => Promise<void>): Promise<void> => {
        await instance.ready()
        await warmUp()
        const load = deployment.load(deployment.target(instance))
        for (let round = 0; round < faultRounds; round += 1) {
          await load.waitForMore(100)
          await sleep(Math.random() * 500)
          await injectFault()
          await instance.ready()
        }
        await load.waitForMore(100)
        await load.stop()
        await deployment.waitUntilImported(load)
        table.push(await deployment.expectExactCounts(load, fault, faultRounds))
        expect(
          await send(`${instance.origin}/api/urls`, { headers: deployment.owner.headers }),
        ).toMatchObject({
          status: 200,
        })
      },
  )
  /** Expects cached links to redirect, and everything that needs the database to return 503 in time. */
  .extend(
    'expectOutage',
    { scope: 'file' },
    ({ deployment, instance }) =>
      async (): Promise<void> => {
        const { headers } = deployment.owner
        const apiReplies = Array.from({ length: 30 }, (_, index) =>
          index % 3 === 0
            ? send(`${instance.origin}/api/url/add`, {
                method: 'POST',
                headers,
                json: { url: 'https://example.com/' },
              })
            : send(`${instance.origin}/api/urls`, { headers }),
        )
        const cachedReplies = deployment.aliases.map((alias) =>
          send(`${instance.origin}/${alias}`, { method: 'HEAD' }),
        )
        const uncachedReplies = Array.from({ length: 10 }, (_, index) =>
          send(`${instance.origin}/unknown-${index}`, { method: 'HEAD' }),
        )
        for (const { status } of await Promise.all(cachedReplies)) expect(status).toBe(302)
        for (const { status } of await Promise.all(uncachedReplies)) expect(status).toBe(503)
        for (const reply of await Promise.all(apiReplies)) expectRejection(reply)
        const legacyReply = await send(
          `${instance.origin}/api/v1/${deployment.owner.key}/shorturl/list_active_urls.json`,
        )
        expectUnavailable(legacyReply)
        expect(JSON.parse(legacyReply.body)).toMatchObject({ code: 503 })
        expect(await send(`${instance.origin}/health/ready`)).toMatchObject({ status: 503 })
        expect(await send(`${instance.origin}/health/live`)).toMatchObject({ status: 200 })
      },
  )

afterAll(() => console.log([tableHead, ...table].join('\n')))

describe('redirects continue and every click is counted afterwards if PostgreSQL is', () => {
  test('stopped and started', { timeout }, ({ underLoad, postgres, expectOutage }) =>
    underLoad('PostgreSQL stopped', async () => {
      await postgres.stop()
      await expectOutage()
      await postgres.start()
    }),
  )

  test('killed and started', { timeout }, ({ underLoad, postgres, expectOutage }) =>
    underLoad('PostgreSQL killed', async () => {
      await postgres.kill()
      await expectOutage()
      await postgres.start()
    }),
  )

  test('frozen and resumed', { timeout }, ({ underLoad, postgres, expectOutage }) =>
    underLoad('PostgreSQL frozen', async () => {
      await postgres.freeze()
      await expectOutage()
      await postgres.thaw()
    }),
  )

  test('killed together with the whole server', { timeout }, ({ underLoad, instance, postgres }) =>
    underLoad('server and PostgreSQL killed', async () => {
      await Promise.all([instance.kill(), postgres.kill()])
      await postgres.start()
      await instance.start()
    }),
  )

  test(
    'stopped, and the worker is killed before PostgreSQL is started',
    { timeout },
    ({ underLoad, postgres, instance }) =>
      underLoad('PostgreSQL stopped, worker killed', async () => {
        await postgres.stop()
        signal(await instance.waitForProcess('worker.ts'), 'SIGKILL')
        await sleep(1000)
        await postgres.start()
        await instance.ready()
      }),
  )
})

test('the service stops cleanly while PostgreSQL is frozen and imports the clicks at the next start', {
  timeout,
}, async ({ deployment, instance, postgres }) => {
  const before = await countClicks(deployment)
  const load = deployment.load(deployment.target(instance))
  await load.waitForMore(50)
  await postgres.freeze()
  await load.waitForMore(50)
  await load.stop()
  expect(await instance.stop()).toBe(0)
  await postgres.thaw()
  await instance.start()
  await until('the earlier clicks are imported', async () => {
    return (await countClicks(deployment)) === before + load.acknowledged.size
  })
})

function expectRejection(reply: Reply): void {
  expectUnavailable(reply)
  expect(JSON.parse(reply.body)).toEqual({
    error: 1,
    message: 'The service is temporarily unavailable. Please retry later.',
  })
}

function expectUnavailable({ status, headers }: Reply): void {
  expect(status).toBe(503)
  expect(headers).toMatchObject({
    'retry-after': expect.stringMatching(/^\d+$/),
    'x-ratelimit-limit': '1000000',
    'x-ratelimit-remaining': expect.stringMatching(/^\d+$/),
    'x-ratelimit-reset': expect.stringMatching(/^\d+$/),
  })
}

async function countClicks(deployment: Deployment): Promise<number> {
  const { rows } = await deployment.database.pool.query<{ clicks: number }>(
    'select coalesce(sum(clicks), 0)::float8 as clicks from click_totals',
  )
  return rows[0]?.clicks ?? 0
}
