import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { checkStatistics } from '../../src/clicks/maintenance/check.ts'
import { openDatabase } from '../../src/db/pool.ts'
import { appendAll, click, openTestJournal } from '../support/click-journal.ts'
import { testImporter } from '../support/clicks.ts'
import { type TestDatabase, testDatabase } from '../support/database.ts'
import { startProxy, type TcpProxy } from '../support/tcp-proxy.ts'

let database: TestDatabase
let proxy: TcpProxy
let link: number
beforeAll(async () => {
  database = await testDatabase()
  proxy = await startProxy(database.url)
  await database.pool.query(
    `insert into accounts (email, username, password_hash) values ('a@example.com', 'a', '')`,
  )
})
afterAll(async () => {
  await proxy.close()
  await database.close()
})
beforeEach(async () => {
  const { rows } = await database.pool.query<{ id: number }>(
    `insert into links (account_id, alias, url)
     select min(id), gen_random_uuid(), 'https://example.com/' from accounts returning id`,
  )
  link = rows[0]?.id ?? 0
})

describe('when the database goes away', () => {
  test('clicks wait in the journal and arrive when it is back, without a restart', async () => {
    const { journal, importer, outages } = setup()
    const running = importer.run()
    await appendAll(journal, clicks(0, 10))
    await reached(async () => (await recorded()) === 10)
    proxy.takeAway()
    await appendAll(journal, clicks(10, 500))
    await reached(async () => outages().length === 1)
    await appendAll(journal, clicks(510, 490))
    proxy.bringBack()
    await reached(async () => (await recorded()) === 1000)
    await importer.stop()
    await running
    expect(outages()).toEqual([
      'clicks cannot be imported, trying again',
      'clicks are being imported again',
    ])
    await expectExactly(1000)
  })

  test('a batch whose commit was never answered is not counted again', async () => {
    let times = 0
    const { journal, importer } = setup((point) => {
      if (point === 'before commit' && ++times === 1) {
        proxy.muteAnswers()
        setTimeout(() => proxy.takeAway(), 300)
        setTimeout(() => proxy.bringBack(), 600)
      }
    })
    await appendAll(journal, clicks(0, 300))
    const running = importer.run()
    await reached(async () => times > 0 && (await recorded()) === 300)
    await appendAll(journal, clicks(300, 1))
    await reached(async () => (await recorded()) === 301)
    await importer.stop()
    await running
    await expectExactly(301)
  })

  test('a connection that breaks in the middle of a batch loses nothing', async () => {
    let times = 0
    const { journal, importer } = setup((point) => {
      times += 1
      if (point === 'before commit' && times < 4) proxy.cut()
    })
    await appendAll(journal, clicks(0, 300))
    const running = importer.run()
    await reached(async () => (await recorded()) === 300)
    await importer.stop()
    await running
    expect(times).toBeGreaterThan(4)
    await expectExactly(300)
  })

  test('draining says so, and can be asked again', async () => {
    const { journal, importer } = setup()
    await appendAll(journal, clicks(0, 20))
    proxy.takeAway()
    await expect(importer.drain()).rejects.toThrow()
    proxy.bringBack()
    expect(await importer.drain()).toBe(20)
    await expectExactly(20)
  })

  test('connections that the server ends are replaced', async () => {
    const { journal, importer } = setup()
    const running = importer.run()
    for (let round = 0; round < 4; round += 1) {
      await appendAll(journal, clicks(round * 50, 50))
      await reached(async () => (await recorded()) === (round + 1) * 50)
      await database.pool.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where application_name = 'brevis importer' and datname = current_database()`,
      )
    }
    await importer.stop()
    await running
    await expectExactly(200)
  })
})

function setup(fault?: (point: string) => void) {
  const dir = mkdtempSync(join(tmpdir(), 'brevis-clicks-'))
  const through = openDatabase({ url: proxy.url, name: 'importer', queryTimeout: 60_000 })
  const journal = openTestJournal(dir)
  const log: string[] = []
  const note = (_: object, text: string) => void log.push(text)
  const importer = testImporter(dir, through, {
    log: { info: note, warn: note, error: note },
    fault,
  })
  onTestFinished(async () => {
    proxy.bringBack()
    await importer.stop()
    await journal.close()
    await through.pool.end()
    rmSync(dir, { recursive: true, force: true })
  })
  const outages = () => log.filter((text) => text.startsWith('clicks'))
  return { journal, importer, outages }
}

function clicks(first: number, count: number) {
  return Array.from({ length: count }, (_, index) => click(link, first + index))
}

async function recorded(): Promise<number> {
  const { rows } = await database.pool.query<{ count: number }>(
    'select count(*) from clicks where link_id = $1',
    [link],
  )
  return rows[0]?.count ?? 0
}

/** As many raw clicks, all of different visitors, and the same in every sum. */
async function expectExactly(count: number): Promise<void> {
  const { rows } = await database.pool.query(
    `select count(*), count(distinct visitor) as visitors,
       (select clicks from click_totals where link_id = $1) as total
     from clicks where link_id = $1`,
    [link],
  )
  expect(rows).toEqual([{ count, visitors: count, total: count }])
  expect(await Array.fromAsync(checkStatistics(database.db))).toEqual([])
}

async function reached(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 20))
}
