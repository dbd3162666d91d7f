import { rename, writeFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { updateLink } from '../../src/links/link.service.ts'
import { scopeOf } from '../../src/scope.ts'
import type { TestDatabase } from '../support/database.ts'
import type { Deployment } from '../support/deployment.ts'
import { deploymentTest } from '../support/deployment-test.ts'
import { send } from '../support/http.ts'
import type { Instance } from '../support/instance.ts'
import { until } from '../support/processes.ts'

const test = deploymentTest().extend('instance', { scope: 'file' }, async ({ deployment }) => {
  const instance = await deployment.createInstance()
  await instance.start()
  return instance
})

test('changes take effect within 5 s while the notification connection is repeatedly cut', async ({
  database,
  deployment,
  instance,
}) => {
  const { id, alias } = await deployment.make.link(deployment.owner)
  await expectDestination(instance, alias, 'https://example.com/target', 1000)
  const cutter = startCutting(database)
  await until('the connection was cut twice', () => cutter.cuts > 1)
  await changeLink(deployment, id, 'https://example.com/unnotified')
  await expectDestination(instance, alias, 'https://example.com/unnotified', 5000)
  await cutter.stop()
})

test('a change made during an interruption takes effect within 1 s after it', async ({
  database,
  deployment,
  instance,
}) => {
  const { id, alias } = await deployment.make.link(deployment.owner)
  await until('the service is subscribed', () => isSubscribed(database))
  await expectDestination(instance, alias, 'https://example.com/target', 1000)
  await cutConnections(database)
  await changeLink(deployment, id, 'https://example.com/missed')
  await until('the service is subscribed again', () => isSubscribed(database))
  await expectDestination(instance, alias, 'https://example.com/missed', 1000)
})

test('a change takes effect within 1 s after earlier interruptions', async ({
  database,
  deployment,
  instance,
}) => {
  const { id, alias } = await deployment.make.link(deployment.owner)
  await until('the service is subscribed', () => isSubscribed(database))
  await expectDestination(instance, alias, 'https://example.com/target', 1000)
  // The tests above have interrupted the connection.
  await changeLink(deployment, id, 'https://example.com/notified')
  await expectDestination(instance, alias, 'https://example.com/notified', 1000)
})

test('notifications that are none of its own do not end the service', async ({
  database,
  deployment,
  instance,
}) => {
  const { id, alias } = await deployment.make.link(deployment.owner)
  await until('the service is subscribed', () => isSubscribed(database))
  const worker = await instance.waitForProcess('worker.ts')
  await expectDestination(instance, alias, 'https://example.com/target', 1000)
  for (const payload of ['', 'text', 'null', '{"kind":"unknown"}']) {
    for (const channel of ['brevis', 'brevis_clicks']) {
      await database.pool.query(`notify ${channel}, '${payload}'`)
    }
  }
  await changeLink(deployment, id, 'https://example.com/later')
  await expectDestination(instance, alias, 'https://example.com/later', 1000)
  expect(await instance.waitForProcess('worker.ts')).toBe(worker)
})

test('redirects continue while a certificate that the URL of the database names is missing', async ({
  database,
  deployment,
}) => {
  const { alias } = await deployment.make.link(deployment.owner)
  const instance = await deployment.createInstance()
  const certificate = `${instance.dataDir}.pem`
  await writeFile(certificate, '')
  const url = `${database.url}?sslrootcert=${certificate}&sslmode=disable`
  await (await instance.launch({ DATABASE_URL: url })).waitUntilReady()
  const worker = await instance.waitForProcess('worker.ts')
  await expectDestination(instance, alias, 'https://example.com/target', 1000)
  await rename(certificate, `${certificate}.away`)
  await database.pool.query(TERMINATE)
  await until('readiness fails', async () => (await get(instance, 'health/ready')).status === 503)
  // The connection for notifications is opened again four times a second.
  for (let visits = 0; visits < 10; visits += 1) {
    expect((await get(instance, alias)).status).toBe(302)
    await sleep(100)
  }
  await rename(`${certificate}.away`, certificate)
  await instance.ready()
  expect(await instance.waitForProcess('worker.ts')).toBe(worker)
  expect(await instance.stop()).toBe(0)
})

const TERMINATE = `
  select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid()`

function get({ origin }: Instance, path: string) {
  return send(`${origin}/${path}`)
}

/** Changes a link in this process, so that the service learns of it by a notification. */
async function changeLink(deployment: Deployment, id: number, url: string): Promise<void> {
  await updateLink(scopeOf(deployment.services, deployment.owner.account.id), id, {
    url,
  })
}

async function expectDestination(
  instance: Instance,
  alias: string,
  destination: string,
  withinMs: number,
): Promise<void> {
  const isRedirected = async () => {
    const { headers } = await send(`${instance.origin}/${alias}`, { method: 'HEAD' })
    return headers.location === destination
  }
  await until(`${alias} redirects to ${destination}`, isRedirected, { timeoutMs: withinMs })
}

/** Cuts the notification connection whenever it is reopened. */
function startCutting(database: TestDatabase) {
  let cuts = 0
  let isStopping = false
  const running = (async () => {
    while (!isStopping) {
      cuts += await cutConnections(database)
      await sleep(20)
    }
  })()
  return {
    get cuts() {
      return cuts
    },
    stop(): Promise<void> {
      isStopping = true
      return running
    },
  }
}

/** Cuts the notification connections. Returns their number. */
async function cutConnections(database: TestDatabase): Promise<number> {
  const { rowCount } = await database.pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and application_name = 'brevis listen'`,
  )
  return rowCount ?? 0
}

async function isSubscribed(database: TestDatabase): Promise<boolean> {
  const { rowCount } = await database.pool.query(
    `select from pg_stat_activity where datname = current_database()
     and application_name = 'brevis listen' and state = 'idle' and query ~ '^(listen|select)'`,
  )
  return rowCount === 1
}
