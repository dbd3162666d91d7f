import { describe, expect, onTestFinished } from 'vitest'
import { ORDERED_WRITES, SHORT_STATEMENTS } from '../../src/db/client.ts'
import { isUnavailable } from '../../src/db/errors.ts'
import { nameStatement } from '../../src/db/statement-names.ts'
import { openPatiently } from '../support/database.ts'
import { appTest } from '../support/test.ts'

const test = appTest()

test('a database whose pooler has lost a prepared statement counts as unavailable', async ({
  app,
}) => {
  const opened = openPatiently(app.databaseUrl, { max: 1 })
  onTestFinished(opened.close)
  const statement = 'select count(*) from instance'
  nameStatement(statement)
  const read = () => opened.pool.query(statement)
  await read()
  await opened.pool.query('deallocate all')
  const error = await read().catch((reason: unknown) => reason)
  expect(error).toMatchObject({ code: '26000' })
  expect(isUnavailable(error)).toBe(true)
})

describe('database sessions use UTC, and their Citus settings', () => {
  test('limit requests to one connection per machine', async ({ app }) => {
    const { rows } = await app.services.database.pool.query(
      `select current_setting('citus.max_adaptive_executor_pool_size') as connections,
              current_setting('timezone') as timezone`,
    )
    expect(rows).toEqual([{ connections: '1', timezone: 'UTC' }])
  })

  test('make imports write to shards sequentially', async ({ app }) => {
    const database = openPatiently(app.databaseUrl, {
      settings: { ...ORDERED_WRITES, ...SHORT_STATEMENTS },
    })
    onTestFinished(database.close)
    const { rows } = await database.pool.query(
      `select current_setting('citus.multi_shard_modify_mode') as mode,
              current_setting('timezone') as timezone`,
    )
    expect(rows).toEqual([{ mode: 'sequential', timezone: 'UTC' }])
  })
})
