import { describe, expect, onTestFinished } from 'vitest'
import { type Database, openDatabase } from '../../src/db/pool.ts'
import { until } from '../support/processes.ts'
import { startProxy, type TcpProxy } from '../support/tcp-proxy.ts'
import { databaseTest } from '../support/test.ts'

const ROUNDS = 60

const test = databaseTest()

describe('a database server that responds again after a timeout', () => {
  test('is available to all callers after one reply on an open connection', async ({
    database: { url },
  }) => {
    const { proxy, database } = await openThroughProxy(url)
    const { pool } = database
    const openClient = await pool.connect()
    await makeUnresponsive(proxy, database)
    proxy.restore()
    await openClient.query('select 1')
    openClient.release()
    expect(await countAnsweredPairs(database)).toBe(ROUNDS)
  })

  test('is available to all callers after one error reply on an open connection', async ({
    database: { url },
  }) => {
    const { proxy, database } = await openThroughProxy(url)
    const openClient = await database.pool.connect()
    await makeUnresponsive(proxy, database)
    proxy.restore()
    await expect(openClient.query('select 1 / 0')).rejects.toMatchObject({ code: '22012' })
    openClient.release()
    expect(await countAnsweredPairs(database)).toBe(ROUNDS)
  })

  test('is available to all callers once one of them succeeds', async ({ database: { url } }) => {
    const { proxy, database } = await openThroughProxy(url)
    const { pool } = database
    const openClient = await pool.connect()
    await makeUnresponsive(proxy, database)
    openClient.release()
    proxy.restore()
    await until('a caller gets through', () => pool.query('select 1').then(Boolean, () => false))
    expect(await countAnsweredPairs(database)).toBe(ROUNDS)
  })
})

test('a busy server that accepts no new connection in time stays available on open connections', async ({
  database: { url },
}) => {
  const { proxy, database } = await openThroughProxy(url)
  const { pool } = database
  const client = await pool.connect()
  await client.query('select 1')
  proxy.dropNewReplies()
  const rejected = expect(pool.query('select 1')).rejects.toThrow('connection timeout')
  await client.query('select pg_sleep(0.1)')
  client.release()
  await rejected
  expect((await pool.query('select 1')).rows).toHaveLength(1)
})

async function openThroughProxy(url: string): Promise<{ proxy: TcpProxy; database: Database }> {
  const proxy = await startProxy(url)
  const database = openDatabase({ url: proxy.url, name: 'test', queryTimeout: 1000 })
  onTestFinished(async () => {
    await database.close()
    await proxy.close()
  })
  return { proxy, database }
}

/** Makes the server unresponsive until a query has timed out. */
async function makeUnresponsive(proxy: TcpProxy, { pool }: Database): Promise<void> {
  await pool.query('select 1')
  proxy.dropReplies()
  await expect(pool.query('select 1')).rejects.toThrow('Query read timeout')
  await expect(pool.query('select 1')).rejects.toMatchObject({ code: 'database_unavailable' })
}

/** Returns the number of rounds in which two concurrent callers both got a response. */
async function countAnsweredPairs({ pool }: Database): Promise<number> {
  let answeredRounds = 0
  for (let round = 0; round < ROUNDS; round += 1) {
    const pair = await Promise.allSettled([pool.query('select 1'), pool.query('select 1')])
    if (pair.every(({ status }) => status === 'fulfilled')) answeredRounds += 1
  }
  return answeredRounds
}
