import { describe, expect } from 'vitest'
import { createBusyVisitors } from '../../src/clicks/import/busy-visitors.ts'
import { createCollector } from '../../src/clicks/import/collect.ts'
import { MAX_LABELS } from '../../src/clicks/import.ts'
import { openJournalFolder } from '../../src/clicks/journal/segments.ts'
import { appendAll, createClick, openTestJournal } from '../support/click-journal.ts'
import { createTestImporter, describeClick } from '../support/clicks.ts'
import { openPatiently } from '../support/database.ts'
import { importTest, listSegments, waitUntil } from '../support/imports.ts'

const test = importTest()
  /** Returns whether the second importer has failed to claim the folder. */
  .extend('hasFailedToClaim', { scope: 'file' }, ({ database }) => async () => {
    const { rows } = await database.pool.query(
      `select from pg_stat_activity where datname = current_database() and state = 'idle'
       and application_name = 'brevis second' and query like 'select pg_try_advisory_lock%'`,
    )
    return rows.length > 0
  })

describe('a batch of imported clicks', () => {
  test('is followed by others if there are more clicks', async ({
    statistics,
    createImport,
    makeLinks,
    discrepancies,
  }) => {
    const [link = 0] = await makeLinks(1)
    const { dir, journal, importer } = createImport({ batch: 10 })
    const otherJournal = openTestJournal(dir)
    for (let round = 0; round < 2; round += 1) {
      await appendAll(journal, clicksFrom(link, 100 * round, 25))
      await appendAll(otherJournal, clicksFrom(link, 1000 + 100 * round, 25))
    }
    await otherJournal.close()
    expect(await importer.drain()).toBe(100)
    expect(await statistics.forLink(link)).toMatchObject({ clicks: 100, visitors: 100 })
    expect(await discrepancies()).toEqual([])
  })

  test.for<[title: string, links: number, expectedClicks: number]>([
    ['of few links ends at its limit of clicks', 40, 5000],
    ['with one link less than its limit ends at its limit of clicks', 1999, 5000],
    ['of many links ends at its limit of links', 2500, 2000],
  ])('%s', async ([_title, links, expectedClicks], { createImport }) => {
    const { dir, journal } = createImport()
    for (let round = 0; round < 8; round += 1) {
      // The collector processes a thousand clicks at a time.
      const clicks = Array.from({ length: 1000 }, (_, index) =>
        createClick(1 + ((1000 * round + index) % links), index),
      )
      await appendAll(journal, clicks)
    }
    const folder = openJournalFolder(dir)
    const collect = createCollector({
      folder,
      describe: describeClick,
      log: { warn: () => {} },
      incomplete: new Set(),
      limit: { links: 2000, clicks: 5000 },
      pause: async () => {},
    })
    const progress = { read: new Map<string, number>(), busy: createBusyVisitors() }
    expect((await collect(progress))?.clicks).toBe(expectedClicks)
    expect((await collect(progress))?.clicks).toBe(Math.min(expectedClicks, 8000 - expectedClicks))
  })

  test('may contain clicks of thousands of links', async ({
    statistics,
    createImport,
    makeLinks,
    discrepancies,
  }) => {
    const links = await makeLinks(2500)
    const { journal, importer } = createImport()
    for (let round = 1; round <= 2; round += 1) {
      await appendAll(
        journal,
        links.map((link) => createClick(link, round)),
      )
      expect(await importer.drain()).toBe(links.length)
    }
    for (const link of [links.at(0), links.at(-1)]) {
      expect(await statistics.forLink(link ?? 0)).toMatchObject({
        clicks: 2,
        countries: [['Unknown', 2]],
      })
    }
    expect(await discrepancies()).toEqual([])
  })

  test('of expired clicks is counted but not stored as raw clicks', async ({
    database,
    statistics,
    createImport,
    makeLinks,
  }) => {
    const [link = 0] = await makeLinks(1)
    const { journal, importer } = createImport({ retentionDays: 30 })
    await appendAll(journal, [createClick(link, 1, { at: Date.UTC(2020, 0, 1) })])
    expect(await importer.drain()).toBe(1)
    expect((await statistics.forLink(link)).clicks).toBe(1)
    const { rows } = await database.pool.query('select from clicks where link_id = $1', [link])
    expect(rows).toEqual([])
  })

  test("that exceeds a link's limit of referrers still counts those before the limit", async ({
    statistics,
    createImport,
    makeLinks,
    discrepancies,
  }) => {
    const [link = 0] = await makeLinks(1)
    const { journal, importer } = createImport()
    const hosts = Array.from({ length: MAX_LABELS + 10 }, (_, index) => `r${index}.example`)
    await appendAll(
      journal,
      [...hosts, 'r0.example', 'r0.example'].map((host) =>
        createClick(link, 1, { referrer: `https://${host}/` }),
      ),
    )
    await importer.drain()
    const { referrers } = await statistics.forLink(link)
    expect(referrers.slice(0, 2)).toEqual([
      ['Other', 10],
      ['r0.example', 3],
    ])
    expect(await discrepancies()).toEqual([])
  })

  test('is imported completely later if the database rejects it', async ({
    database,
    statistics,
    createImport,
    makeLinks,
    discrepancies,
  }) => {
    const [link = 0] = await makeLinks(1)
    const { journal, importer } = createImport()
    await appendAll(journal, clicksFrom(link, 0, 3))
    await database.pool.query('alter table click_days rename to click_days_away')
    await expect(importer.drain()).rejects.toMatchObject({ code: '42P01' })
    expect((await statistics.forLink(link)).clicks).toBe(0)
    await database.pool.query('alter table click_days_away rename to click_days')
    expect(await importer.drain()).toBe(3)
    expect(await statistics.forLink(link)).toMatchObject({ clicks: 3, visitors: 3 })
    expect(await discrepancies()).toEqual([])
  })
})

describe('an importer', () => {
  test('deletes closed files that are fully imported', async ({
    statistics,
    createImport,
    makeLinks,
  }) => {
    const [link = 0] = await makeLinks(1)
    const { dir, importer } = createImport()
    const journal = openTestJournal(dir, { segmentBytes: 1 })
    for (const identity of [1, 2, 3]) await appendAll(journal, [createClick(link, identity)])
    expect(listSegments(dir)).toHaveLength(3)
    await importer.drain()
    await journal.close()
    expect(listSegments(dir)).toEqual([expect.stringMatching(/-00000003\.clicks$/)])
    expect(await statistics.forLink(link)).toMatchObject({ clicks: 3, visitors: 3 })
  })

  test('logs a database failure once and then the recovery', async ({
    database,
    statistics,
    createImport,
    makeLinks,
    discrepancies,
  }) => {
    const [link = 0] = await makeLinks(1)
    const log: string[] = []
    const append = (_: object, text: string) => void log.push(text)
    let attempts = 0
    const { journal, importer } = createImport({
      log: { info: append, warn: append, error: append },
      describe: (record) => {
        attempts += 1
        return describeClick(record)
      },
    })
    await database.pool.query('alter table click_days rename to click_days_away')
    await appendAll(journal, [createClick(link, 1)])
    const running = importer.run()
    await waitUntil(async () => attempts > 2)
    await database.pool.query('alter table click_days_away rename to click_days')
    await waitUntil(async () => (await statistics.forLink(link)).clicks === 1)
    await waitUntil(async () => log.length > 1)
    await importer.stop()
    await running
    expect(log).toEqual([
      'clicks cannot be imported, trying again',
      'clicks are being imported again',
    ])
    expect(await discrepancies()).toEqual([])
  })

  test('runs once even if started twice, and can be drained while running', async ({
    statistics,
    createImport,
    makeLinks,
    discrepancies,
  }) => {
    const [link = 0] = await makeLinks(1)
    const { journal, importer } = createImport()
    const running = importer.run()
    expect(importer.run()).toBe(running)
    await appendAll(journal, clicksFrom(link, 0, 2500))
    await importer.drain()
    expect((await statistics.forLink(link)).clicks).toBe(2500)
    await appendAll(journal, clicksFrom(link, 5000, 2500))
    await waitUntil(async () => (await statistics.forLink(link)).clicks === 5000)
    await importer.stop()
    await running
    expect(await discrepancies()).toEqual([])
  })

  test('waits for a folder claimed by another importer', async ({
    database,
    statistics,
    createImport,
    makeLinks,
    discrepancies,
    hasFailedToClaim,
  }) => {
    const [link = 0] = await makeLinks(1)
    const { dir, journal, importer } = createImport()
    const secondDatabase = openPatiently(database.url, { name: 'second' })
    const secondImporter = createTestImporter(dir, secondDatabase)
    const running = importer.run()
    await appendAll(journal, [createClick(link, 1)])
    await waitUntil(async () => (await statistics.forLink(link)).clicks === 1)
    const ended = secondImporter.run()
    await waitUntil(hasFailedToClaim)
    await importer.stop()
    await running
    await appendAll(journal, [createClick(link, 2)])
    await waitUntil(async () => (await statistics.forLink(link)).clicks === 2)
    await secondImporter.stop()
    await ended
    await secondDatabase.close()
    expect(await discrepancies()).toEqual([])
  })
})

function clicksFrom(link: number, identity: number, count: number) {
  return Array.from({ length: count }, (_, index) => createClick(link, identity + index))
}
