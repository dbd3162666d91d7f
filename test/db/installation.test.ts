import { expect, onTestFinished } from 'vitest'
import { openDriverPool } from '../../src/db/driver-pool.ts'
import { isUnavailable } from '../../src/db/errors.ts'
import { loadInstance } from '../../src/db/instance.ts'
import { openPatiently } from '../support/database.ts'
import { emptyDatabase } from '../support/empty-database.ts'
import { databaseTest } from '../support/test.ts'

const test = databaseTest()
const OTHER = { token: 'another-installation' }

test('connections to the database of another installation are rejected before their first use', async ({
  database,
}) => {
  const { url } = database
  await loadInstance(database.db)
  const own = open(url, OTHER)
  const driver = openDriverPool(url, { name: 'test', max: 1, instance: OTHER })
  onTestFinished(() => driver.end())
  // A database without any installation.
  const empty = open(await emptyDatabase(), OTHER)
  for (const connect of [() => own.connect(), () => driver.connect(), () => empty.connect()]) {
    await expect(connect()).rejects.toThrow(
      /the database is now installation \w+ instead of \w{12}/,
    )
  }
  expect(isUnavailable(await own.connect().catch((error: unknown) => error))).toBe(true)
})

test('a connection that was opened before the installation was known is checked at its next use', async ({
  database,
}) => {
  await loadInstance(database.db)
  const opened = openPatiently(database.url, { max: 1 })
  onTestFinished(opened.close)
  await opened.pool.query('select 1')
  opened.requireInstance(OTHER)
  await expect(opened.pool.query('select 1')).rejects.toThrow('instead of')
})

test('connections of the installation itself are checked once', async ({ database }) => {
  const instance = await loadInstance(database.db)
  const opened = openPatiently(database.url, { max: 1 })
  onTestFinished(opened.close)
  opened.requireInstance(instance)
  await opened.pool.query('select 1')
  opened.requireInstance(OTHER)
  expect((await opened.pool.query('select 1')).rows).toHaveLength(1)
})

function open(url: string, instance: { token: string }) {
  const { requireInstance, pool, close } = openPatiently(url, { max: 1 })
  requireInstance(instance)
  onTestFinished(close)
  return pool
}
