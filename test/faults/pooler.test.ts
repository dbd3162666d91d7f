import { describe, expect, onTestFinished } from 'vitest'
import { subscribe } from '../../src/db/notify.ts'
import { createDatabaseCheck } from '../../src/db/readiness.ts'
import { type TestDatabase, testDatabase } from '../support/database.ts'
import { startPgBouncer } from '../support/pgbouncer.ts'
import { until } from '../support/processes.ts'
import { isInstalled } from '../support/published.ts'
import { command, settings, startTest } from '../support/start-test.ts'
import { startProxy } from '../support/tcp-proxy.ts'

const test = startTest()
  .extend('database', { scope: 'file' }, async ({ dataDir: _ }, { onCleanup }) => {
    const database = await testDatabase()
    onCleanup(database.close)
    return database
  })
  .extend('pooled', async ({ database, dataDir }, { onCleanup }) => {
    return async (poolMode: Parameters<typeof startPgBouncer>[1]) => {
      const pooler = await startPgBouncer(database.url, poolMode, dataDir)
      onCleanup(() => pooler.stop())
      return pooler.url
    }
  })

describe.skipIf(!isInstalled('pgbouncer'))('behind PgBouncer', () => {
  test.for(['transaction', 'statement'] as const)(
    'in %s mode, the service does not start and says why on one line',
    async (poolMode, { database, dataDir, start, pooled }) => {
      const url = await pooled(poolMode)
      const service = await start({ command, env: await settings(dataDir, { DATABASE_URL: url }) })
      expect(await service.waitForExit()).toBe(1)
      expect(service.stderr()).toMatch(
        /^brevis: Notifications of the database do not arrive: it is behind a connection pooler in transaction mode\. [^\n]*pool_mode = session[^\n]*\n$/,
      )
      expect(service.stdout()).not.toContain('ready')
      const { rows } = await database.pool.query(
        "select from pg_locks where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())",
      )
      expect(rows).toEqual([])
    },
  )

  test('in transaction mode, notifications count as lost', async ({ database, pooled }) => {
    const url = await pooled('transaction')
    const { check, subscription, messages } = subscribeVia(url, database)
    await subscription.attempted
    expect(subscription.connected).toBe(false)
    expect(await check()).toEqual({ ready: false, reason: NOT_ARRIVING })
    expect(messages).toEqual([
      'notifications of changes do not arrive: is there a connection pooler?',
    ])
  })

  test('in session mode, it starts', async ({ dataDir, start, pooled }) => {
    const env = await settings(dataDir, { DATABASE_URL: await pooled('session') })
    const service = await start({ command, env })
    await service.waitUntilReady()
  })
})

const NOT_ARRIVING = 'notifications of the database do not arrive'

test('a half-open connection for notifications is noticed, reported and replaced', async ({
  database,
}) => {
  const proxy = await startProxy(database.url)
  onTestFinished(proxy.close)
  const { check, subscription, messages } = subscribeVia(proxy.url, database)
  await until('notifications arrive', () => subscription.connected)
  expect(await check()).toEqual({ ready: true })
  proxy.dropReplies()
  await until('the connection counts as lost', () => !subscription.connected)
  expect(await check()).toEqual({ ready: false, reason: NOT_ARRIVING })
  proxy.restore()
  proxy.breakConnections()
  await until('notifications arrive again', () => subscription.connected)
  expect(await check()).toEqual({ ready: true })
  expect(messages).toEqual(['the connection for notifications of changes was lost'])
})

/** Subscribes to changes by a URL of the database. `check` is the check of readiness. */
function subscribeVia(url: string, { db, url: databaseUrl }: TestDatabase) {
  const messages: string[] = []
  const ignore = () => {}
  const log = (message: string) => messages.push(message)
  const subscription = subscribe({
    url,
    db,
    onChange: ignore,
    onLost: ignore,
    onRestored: ignore,
    log,
  })
  onTestFinished(() => subscription.close())
  return { subscription, messages, check: createDatabaseCheck({ db, databaseUrl, subscription }) }
}
