import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished } from 'vitest'
import { checkStatistics } from '../../src/clicks/read.ts'
import { openDatabase } from '../../src/db/pool.ts'
import { appendAll, click, openTestJournal } from '../support/click-journal.ts'
import { testImporter } from '../support/clicks.ts'
import { rawClicks } from '../support/raw-clicks.ts'
import { startProxy, type TcpProxy } from '../support/tcp-proxy.ts'
import { accountTest } from '../support/test.ts'

const test = accountTest()
  .extend('proxy', { scope: 'file' }, async ({ database }, { onCleanup }) => {
    const proxy = await startProxy(database.url)
    onCleanup(proxy.close)
    return proxy
  })
  .extend('link', async ({ database, account }) => {
    const { rows } = await database.pool.query<{ id: number }>(
      `insert into links (account_id, alias, url)
       values ($1, gen_random_uuid(), 'https://example.com/') returning id`,
      [account],
    )
    return rows[0]?.id ?? 0
  })
  .extend('recorded', ({ database, link }) => async (): Promise<number> => {
    return (await rawClicks(database.pool, [link])).length
  })
  /** Expects this many raw clicks by different visitors, and the same number in every sum. */
  .extend('expectExactly', ({ database, link }) => async (count: number): Promise<void> => {
    const { rows } = await database.pool.query(
      'select clicks from click_totals where link_id = $1',
      [link],
    )
    const stored = await rawClicks(database.pool, [link])
    const visitors = new Set(stored.map(({ visitor }) => visitor))
    expect([stored.length, visitors.size, rows]).toEqual([count, count, [{ clicks: count }]])
    expect(await Array.fromAsync(checkStatistics(database.db))).toEqual([])
  })

describe('during an outage of the database', () => {
  test('clicks wait in the journal and are imported afterwards without a restart', async ({
    proxy,
    link,
    recorded,
    expectExactly,
  }) => {
    const { journal, importer, outages } = setup(proxy)
    const running = importer.run()
    await appendAll(journal, clicks(link, 0, 10))
    await reached(async () => (await recorded()) === 10)
    proxy.disconnect()
    await appendAll(journal, clicks(link, 10, 500))
    await reached(async () => outages().length === 1)
    await appendAll(journal, clicks(link, 510, 490))
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

  test('a batch with an unknown commit result is counted once', async ({
    proxy,
    link,
    recorded,
    expectExactly,
  }) => {
    let times = 0
    const { journal, importer } = setup(proxy, (point) => {
      if (point === 'before commit' && ++times === 1) {
        proxy.dropReplies()
        setTimeout(() => proxy.disconnect(), 300)
        setTimeout(() => proxy.bringBack(), 600)
      }
    })
    await appendAll(journal, clicks(link, 0, 300))
    const running = importer.run()
    await reached(async () => times > 0 && (await recorded()) === 300)
    await appendAll(journal, clicks(link, 300, 1))
    await reached(async () => (await recorded()) === 301)
    await importer.stop()
    await running
    await expectExactly(301)
  })

  test('a connection lost during a batch loses no clicks', async ({
    proxy,
    link,
    recorded,
    expectExactly,
  }) => {
    let times = 0
    const { journal, importer } = setup(proxy, (point) => {
      times += 1
      if (point === 'before commit' && times < 4) proxy.cut()
    })
    await appendAll(journal, clicks(link, 0, 300))
    const running = importer.run()
    await reached(async () => (await recorded()) === 300)
    await importer.stop()
    await running
    expect(times).toBeGreaterThan(4)
    await expectExactly(300)
  })

  test('draining fails and can be repeated', async ({ proxy, link, expectExactly }) => {
    const { journal, importer } = setup(proxy)
    await appendAll(journal, clicks(link, 0, 20))
    proxy.disconnect()
    await expect(importer.drain()).rejects.toThrow()
    proxy.bringBack()
    expect(await importer.drain()).toBe(20)
    await expectExactly(20)
  })

  test('connections closed by the server are replaced', async ({
    database,
    proxy,
    link,
    recorded,
    expectExactly,
  }) => {
    const { journal, importer } = setup(proxy)
    const running = importer.run()
    for (let round = 0; round < 4; round += 1) {
      await appendAll(journal, clicks(link, round * 50, 50))
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

function setup(proxy: TcpProxy, fault?: (point: string) => void) {
  const dir = mkdtempSync(join(tmpdir(), 'brevis-clicks-'))
  const through = openDatabase({ url: proxy.url, name: 'importer', queryTimeout: 60_000 })
  const journal = openTestJournal(dir)
  const log: string[] = []
  const note = (_: object, text: string) => void log.push(text)
  const importer = testImporter(dir, through, {
    log: { info: note, warn: note, error: note },
    onTestPoint: fault,
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

function clicks(link: number, first: number, count: number) {
  return Array.from({ length: count }, (_, index) => click(link, first + index))
}

async function reached(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 20))
}
