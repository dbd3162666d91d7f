import { expect, onTestFinished } from 'vitest'
import { listPartitions } from '../../src/clicks/import.ts'
import { createHousekeeping } from '../../src/clicks/maintenance/housekeeping.ts'
import { readRawClicksOfMonth } from '../../src/clicks/maintenance/unused-labels.queries.ts'
import { monthOf } from '../../src/clicks/storage/months.ts'
import { createPartitions } from '../../src/clicks/storage/partitions.ts'
import { loadInstance } from '../../src/db/instance.ts'
import { createPeriodicTasks } from '../../src/importer/click-importer.ts'
import { createClock } from '../support/clock.ts'
import type { TestDatabase } from '../support/database.ts'
import { databaseTest } from '../support/test.ts'

const OLD_MONTH = monthOf(Date.UTC(2019, 4, 1))
const DROPPED_MESSAGE = 'raw clicks past their retention were dropped'

const test = databaseTest()

test.beforeEach(({ database }) => createPartitions(database.db, [OLD_MONTH]))

test('housekeeping drops months of expired raw clicks once a day', async ({ database }) => {
  const { clock, log, runOnce } = createHousekeepingRunner(database)
  await runOnce()
  expect(await listMonths(database)).not.toContain(OLD_MONTH)
  await createPartitions(database.db, [OLD_MONTH])
  clock.advance(61)
  await runOnce()
  expect(await listMonths(database)).toContain(OLD_MONTH)
  clock.advance(24 * 3600)
  await runOnce()
  expect(await listMonths(database)).not.toContain(OLD_MONTH)
  expect(log).toEqual([DROPPED_MESSAGE, DROPPED_MESSAGE])
})

test('housekeeping drops nothing that only a clock that is ahead considers expired', async ({
  database,
}) => {
  const { clock, log, runOnce } = createHousekeepingRunner(database)
  const month = monthOf(clock().getTime())
  await createPartitions(database.db, [month])
  clock.advance(400 * 24 * 3600)
  await runOnce()
  expect(await listMonths(database)).toContain(month)
  expect(await listMonths(database)).not.toContain(OLD_MONTH)
  expect(log).toEqual([
    'the clock of this machine is ahead of that of the database',
    DROPPED_MESSAGE,
  ])
})

test("housekeeping creates the next month's partition in advance", async ({ database }) => {
  const { clock, runOnce } = createHousekeepingRunner(database)
  await runOnce()
  const now = monthOf(clock().getTime())
  expect(await listMonths(database)).toEqual(expect.arrayContaining([now, now + 1]))
})

test('housekeeping deletes expired rows at most once a minute', async ({ database }) => {
  const { clock, runOnce } = createHousekeepingRunner(database)
  await runOnce()
  await database.pool.query(`insert into rate_windows values ('old', now() - interval '1 day', 1)`)
  clock.advance(30)
  await runOnce()
  expect(await countRateWindows(database)).toBe(1)
  clock.advance(31)
  await runOnce()
  expect(await countRateWindows(database)).toBe(0)
})

test('housekeeping keeps daily rate windows for a day', async ({ database }) => {
  const { runOnce } = createHousekeepingRunner(database)
  await database.pool.query(
    `insert into rate_windows values ('day:a', now() - interval '23 hours', 1),
                                     ('day:b', now() - interval '25 hours', 1),
                                     ('day:c', now() + interval '1 hour', 1)`,
  )
  await runOnce()
  const { rows } = await database.pool.query('delete from rate_windows returning subject')
  expect(rows).toEqual([{ subject: 'day:a' }])
})

test('housekeeping runs all tasks after a clock that was ahead is corrected', async ({
  database,
}) => {
  const { clock, runOnce } = createHousekeepingRunner(database)
  clock.advance(400 * 24 * 3600)
  await runOnce()
  clock.advance(-400 * 24 * 3600)
  await createPartitions(database.db, [OLD_MONTH])
  await database.pool.query(
    `insert into rate_windows values ('old', now() - interval '1 day', 1),
                                     ('future', now() + interval '400 days', 1)`,
  )
  await runOnce()
  expect(await countRateWindows(database)).toBe(0)
  expect(await listMonths(database)).not.toContain(OLD_MONTH)
})

test('housekeeping retries dropping a month a minute later if it is in use', async ({
  database,
}) => {
  const { clock, log, runOnce } = createHousekeepingRunner(database)
  const reader = await database.pool.connect()
  await reader.query('begin')
  await reader.query('select from clicks_2019_05')
  await runOnce()
  expect(await listMonths(database)).toContain(OLD_MONTH)
  await reader.query('commit')
  reader.release()
  clock.advance(61)
  await runOnce()
  expect(await listMonths(database)).not.toContain(OLD_MONTH)
  expect(log).toEqual([DROPPED_MESSAGE])
})

test('housekeeping retries dropping a month with dependent objects every minute and warns each time', async ({
  database,
}) => {
  const { clock, log, runOnce } = createHousekeepingRunner(database)
  await database.pool.query('create view dependent as select * from clicks_2019_05')
  await runOnce()
  clock.advance(61)
  await runOnce()
  expect(await listMonths(database)).toContain(OLD_MONTH)
  await database.pool.query('drop view dependent')
  clock.advance(61)
  await runOnce()
  expect(await listMonths(database)).not.toContain(OLD_MONTH)
  expect(log).toEqual(['housekeeping failed', 'housekeeping failed', DROPPED_MESSAGE])
})

test('housekeeping deletes clicks of deleted links unless the importer is stopping', async ({
  database,
}) => {
  const { clock, runOnce } = createHousekeepingRunner(database)
  await database.pool.query('insert into removed_links (link_id) values (7)')
  await database.pool.query(
    `insert into click_visitors select 7, n, '' from generate_series(1, 9) n`,
  )
  await runOnce(AbortSignal.abort())
  expect(await count(database, 'removed_links')).toBe(1)
  clock.advance(61)
  await runOnce()
  expect([await count(database, 'removed_links'), await count(database, 'click_visitors')]).toEqual(
    [0, 0],
  )
})

test('housekeeping deletes labels that have been unused for more than a day, and marks other unused ones', async ({
  database,
}) => {
  const { log, runOnce } = createHousekeepingRunner(database)
  await database.pool.query(
    `insert into labels (name, unused_since)
     values ('old', now() - interval '2 days'), ('new', null)`,
  )
  await loadInstance(database.db)
  await runOnce()
  const { rows } = await database.pool.query(
    'select name, unused_since is not null as unused from labels',
  )
  expect(rows).toEqual([{ name: 'new', unused: true }])
  expect(log).toContain('unused labels were deleted')
})

test('the search for unused labels tolerates a month that was dropped in the meantime', async ({
  database,
}) => {
  await database.pool.query('drop table clicks_2019_05')
  expect(await Array.fromAsync(readRawClicksOfMonth(database.db, OLD_MONTH))).toEqual([])
})

/** Creates the housekeeping of the importer with a test clock. `runOnce` runs its due tasks. */
function createHousekeepingRunner(database: TestDatabase) {
  const clock = createClock()
  const log: string[] = []
  const append = (_: object, text: string) => void log.push(text)
  const housekeeping = createHousekeeping({
    db: database.db,
    clock,
    log: { info: append, warn: append },
    retentionDays: 30,
    tasks: createPeriodicTasks(database.db, { info: append }),
  })
  onTestFinished(housekeeping.end)
  const runOnce = async (signal = new AbortController().signal) => {
    housekeeping.start(signal)
    await housekeeping.end()
  }
  return { clock, log, runOnce }
}

function listMonths(database: TestDatabase): Promise<number[]> {
  return listPartitions(database.db)
}

function countRateWindows(database: TestDatabase): Promise<number> {
  return count(database, 'rate_windows')
}

async function count(database: TestDatabase, table: string): Promise<number> {
  const { rows } = await database.pool.query<{ count: number }>(`select count(*) from ${table}`)
  return rows[0]?.count ?? -1
}
