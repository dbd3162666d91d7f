import { pino } from 'pino'
import { describe, expect, onTestFinished } from 'vitest'
import { openClient } from '../../src/db/client.ts'
import { awaitMigrationLock } from '../../src/db/pending-migrations.ts'
import { prepareDatabase } from '../../src/process/prepare-database.ts'
import { deploymentTest } from '../support/deployment-test.ts'
import { emptyDatabase } from '../support/empty-database.ts'
import { untilStoreComplete } from '../support/link-store.ts'
import { run } from '../support/postgres.ts'
import { until } from '../support/processes.ts'

const test = deploymentTest()

/** Starts to prepare a database on a machine whose link store can serve. */
function prepare(databaseUrl: string) {
  const lines: { msg: string; name?: string }[] = []
  const write = (line: string) => void lines.push(JSON.parse(line))
  const preparation = prepareDatabase({
    config: { migrateOnStart: true },
    databaseUrl,
    canServe: true,
    signal: new AbortController().signal,
    log: pino({ level: 'info' }, { write }),
  })
  preparation.done.catch(() => {})
  return {
    ...preparation,
    messages: () => lines.map(({ msg, name }) => (name ? [msg, name] : msg)),
  }
}

describe('a migration at startup', () => {
  test('is logged by name while links are served from the link store', async () => {
    const url = await emptyDatabase()
    const other = openClient({ url, name: 'test' })
    await other.connect()
    onTestFinished(() => other.end().catch(() => {}))
    await awaitMigrationLock(other, () => {})
    const { attempted, done, isMigrating, messages } = prepare(url)
    await attempted
    expect(isMigrating()).toBe(true)
    await until('the wait is logged', () => messages().length === 2)
    await other.end()
    await done
    expect(isMigrating()).toBe(false)
    expect(messages()).toEqual([
      'the database is being migrated, so links are served from the link store',
      'waiting for another process that is migrating the database',
      ['applying a migration', '0001-schema'],
      ['applied a migration', '0001-schema'],
      ['applying a migration', expect.stringMatching(/^job-queue-\d+$/)],
      ['applied a migration', expect.stringMatching(/^job-queue-\d+$/)],
    ])
  })

  test('is named with the reason if it fails', async () => {
    const url = await emptyDatabase()
    await run(url, ['create table channels (in_the_way text)'])
    await expect(prepare(url).done).rejects.toThrow(
      'Migration 0001-schema failed, and the database is unchanged by it: relation "channels" already exists',
    )
  })

  test('that fails ends the service before it is ready, although it could serve links', {
    timeout: 60_000,
  }, async ({ database, deployment }) => {
    const instance = await deployment.createInstance({ env: { LOG_LEVEL: 'info' } })
    await instance.start()
    await untilStoreComplete(instance)
    expect(await instance.stop()).toBe(0)
    // The table of another program is in the way of the job queue's tables.
    await run(database.url, [
      'drop schema brevis_jobs cascade',
      'create schema brevis_jobs',
      'create table brevis_jobs.migrations (id integer, breaking boolean, in_the_way text not null)',
    ])
    const started = instance.log.length
    const service = await instance.launch()
    expect(await service.waitForExit()).toBe(1)
    expect(service.stderr()).toMatch(/^brevis: Migration job-queue-\d+ failed[^\n]*\n$/)
    const messages = instance.log.slice(started).map(({ msg }) => msg)
    expect(messages).toContain('applying a migration')
    expect(messages).not.toContain('Brevis is ready')
  })
})
