import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished } from 'vitest'
import { checkStatistics } from '../../src/clicks/read.ts'
import { openDatabase } from '../../src/db/pool.ts'
import { appendAll, createClick, openTestJournal } from '../support/click-journal.ts'
import { createTestImporter } from '../support/clicks.ts'
import { waitUntil } from '../support/imports.ts'
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
  .extend('countRecorded', ({ database, link }) => async (): Promise<number> => {
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
    countRecorded,
    expectExactly,
  }) => {
    const { journal, importer, listOutageMessages } = openImport(proxy)
    const running = importer.run()
    await appendAll(journal, createClicks(link, 0, 10))
    await waitUntil(async () => (await countRecorded()) === 10)
    proxy.disconnect()
    await appendAll(journal, createClicks(link, 10, 500))
    await waitUntil(async () => listOutageMessages().length === 1)
    await appendAll(journal, createClicks(link, 510, 490))
    proxy.restore()
    await waitUntil(async () => (await countRecorded()) === 1000)
    await importer.stop()
    await running
    expect(listOutageMessages()).toEqual([
      'clicks cannot be imported, trying again',
      'clicks are being imported again',
    ])
    await expectExactly(1000)
  })

  test('a batch with an unknown commit result is counted once', async ({
    proxy,
    link,
    countRecorded,
    expectExactly,
  }) => {
    let pointsReached = 0
    const { journal, importer } = openImport(proxy, (point) => {
      if (point === 'before commit' && ++pointsReached === 1) {
        proxy.dropReplies()
        setTimeout(() => proxy.disconnect(), 300)
        setTimeout(() => proxy.restore(), 600)
      }
    })
    await appendAll(journal, createClicks(link, 0, 300))
    const running = importer.run()
    await waitUntil(async () => pointsReached > 0 && (await countRecorded()) === 300)
    await appendAll(journal, createClicks(link, 300, 1))
    await waitUntil(async () => (await countRecorded()) === 301)
    await importer.stop()
    await running
    await expectExactly(301)
  })

  test('a connection lost during a batch loses no clicks', async ({
    proxy,
    link,
    countRecorded,
    expectExactly,
  }) => {
    let pointsReached = 0
    const { journal, importer } = openImport(proxy, (point) => {
      pointsReached += 1
      if (point === 'before commit' && pointsReached < 4) proxy.breakConnections()
    })
    await appendAll(journal, createClicks(link, 0, 300))
    const running = importer.run()
    await waitUntil(async () => (await countRecorded()) === 300)
    await importer.stop()
    await running
    expect(pointsReached).toBeGreaterThan(4)
    await expectExactly(300)
  })

  test('draining fails, and succeeds when it is repeated after the outage', async ({
    proxy,
    link,
    expectExactly,
  }) => {
    const { journal, importer } = openImport(proxy)
    await appendAll(journal, createClicks(link, 0, 20))
    proxy.disconnect()
    await expect(importer.drain()).rejects.toThrow()
    proxy.restore()
    expect(await importer.drain()).toBe(20)
    await expectExactly(20)
  })

  test('connections closed by the server are replaced', async ({
    database,
    proxy,
    link,
    countRecorded,
    expectExactly,
  }) => {
    const { journal, importer } = openImport(proxy)
    const running = importer.run()
    for (let round = 0; round < 4; round += 1) {
      await appendAll(journal, createClicks(link, round * 50, 50))
      await waitUntil(async () => (await countRecorded()) === (round + 1) * 50)
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

/**
 * Opens a journal and its importer, which connects through the proxy and calls `onTestPoint` at its
 * test points.
 */
function openImport(proxy: TcpProxy, onTestPoint?: (point: string) => void) {
  const dir = mkdtempSync(join(tmpdir(), 'brevis-clicks-'))
  const database = openDatabase({ url: proxy.url, name: 'importer', queryTimeout: 60_000 })
  const journal = openTestJournal(dir)
  const log: string[] = []
  const append = (_: object, text: string) => void log.push(text)
  const importer = createTestImporter(dir, database, {
    log: { info: append, warn: append, error: append },
    onTestPoint,
  })
  onTestFinished(async () => {
    proxy.restore()
    await importer.stop()
    await journal.close()
    await database.pool.end()
    rmSync(dir, { recursive: true, force: true })
  })
  const listOutageMessages = () => log.filter((text) => text.startsWith('clicks'))
  return { journal, importer, listOutageMessages }
}

function createClicks(link: number, first: number, count: number) {
  return Array.from({ length: count }, (_, index) => createClick(link, first + index))
}
