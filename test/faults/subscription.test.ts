import { setTimeout as sleep } from 'node:timers/promises'
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
