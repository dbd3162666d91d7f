import { expect } from 'vitest'
import { appTest } from '../support/test.ts'

const test = appTest()

test('requests ask a cluster over one connection for each machine, and reckon in UTC', async ({
  app,
}) => {
  const { rows } = await app.services.database.pool.query(
    `select current_setting('citus.max_adaptive_executor_pool_size') as connections,
            current_setting('timezone') as timezone`,
  )
  expect(rows).toEqual([{ connections: '1', timezone: 'UTC' }])
})
