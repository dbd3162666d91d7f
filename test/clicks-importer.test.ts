import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { checkStatistics } from '../src/clicks/check.ts'
import { MAX_LABELS } from '../src/clicks/label-counts.ts'
import { newWriter, segmentFile } from '../src/clicks/segment-name.ts'
import { createStatistics, removeClicks } from '../src/clicks/statistics.ts'
import { inTransaction } from '../src/db/transaction.ts'
import { appendAll, click, openTestJournal, testImporter } from './fixtures/clicks.ts'
import { type TestDatabase, testDatabase } from './support/database.ts'

const NO_CLICKS = {
  clicks: 0,
  visitors: 0,
  lastClickAt: undefined,
  countries: [],
  referrers: [],
  browsers: [],
  systems: [],
  social: { facebook: 0, twitter: 0, instagram: 0 },
}

let database: TestDatabase
let statistics: ReturnType<typeof createStatistics>
beforeAll(async () => {
  database = await testDatabase()
  statistics = createStatistics(database)
  await database.pool.query(
    `insert into accounts (email, username, password_hash) values ('a@example.com', 'a', '')`,
  )
})
afterAll(() => database.close())

describe('the statistics of a link', () => {
  test('are zeros and empty lists before the first click', async () => {
    expect(await statistics.forLink(await makeLink())).toEqual(NO_CLICKS)
  })

  test('say what came from where', async () => {
    const link = await makeLink()
    const { journal, drain } = setup()
    const phone =
      'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1'
    const at = Date.UTC(2026, 10, 20, 12)
    await appendAll(journal, [
      click(link, 1, { at, referrer: 'https://www.facebook.com/x' }),
      click(link, 1, { at: at + 1000 }),
      click(link, 2, { at: at - 5000, address: '20.0.0.1', userAgent: phone }),
      click(link, 3, { at, address: '20.0.0.2', userAgent: phone, referrer: 'https://t.co/abc' }),
      click(link, 4, { at, referrer: 'https://m.facebook.com/' }),
    ])
    expect(await drain()).toBe(5)
    expect(await statistics.forLink(link)).toEqual({
      clicks: 5,
      visitors: 4,
      lastClickAt: new Date(at + 1000),
      countries: [
        ['Unknown', 3],
        ['Land 20', 2],
      ],
      referrers: [
        ['Direct, email and other', 2],
        ['facebook.com', 1],
        ['m.facebook.com', 1],
        ['t.co', 1],
      ],
      browsers: [
        ['Firefox', 3],
        ['Safari', 2],
      ],
      systems: [
        ['Linux', 3],
        ['iOS 17', 2],
      ],
      social: { facebook: 2, twitter: 1, instagram: 0 },
    })
    expect(await statistics.totalsOf([link, 999_999])).toEqual(
      new Map([[link, { clicks: 5, visitors: 4, lastClickAt: new Date(at + 1000) }]]),
    )
    expect(await discrepancies()).toEqual([])
  })

  test('show ten labels, the most clicked first and equal ones by name', async () => {
    const link = await makeLink()
    const { journal, drain } = setup()
    const hosts = Array.from(
      { length: 14 },
      (_, index) => `host${String.fromCharCode(110 - index)}`,
    )
    await appendAll(journal, [
      ...hosts.map((host) => click(link, 1, { referrer: `https://${host}.example/` })),
      ...[1, 2].map(() => click(link, 1, { referrer: 'https://zzz.example/' })),
    ])
    await drain()
    const { referrers } = await statistics.forLink(link)
    expect(referrers).toEqual([
      ['zzz.example', 2],
      ...hosts
        .sort()
        .slice(0, 9)
        .map((host) => [`${host}.example`, 1]),
    ])
  })

  test('add up over batches, and unique visitors stay unique', async () => {
    const link = await makeLink()
    const { journal, drain } = setup()
    for (let round = 0; round < 3; round += 1) {
      await appendAll(journal, [click(link, 1), click(link, 2 + round)])
      await drain()
    }
    expect(await statistics.forLink(link)).toMatchObject({ clicks: 6, visitors: 4 })
    expect(await discrepancies()).toEqual([])
  })

  test('leave crawlers out, whose clicks are stored apart', async () => {
    const link = await makeLink()
    const { journal, drain } = setup()
    await appendAll(journal, [click(link, 1, { userAgent: 'Googlebot/2.1' })])
    expect(await drain()).toBe(1)
    expect(await statistics.forLink(link)).toEqual(NO_CLICKS)
    const { rows } = await database.pool.query('select crawler from clicks where link_id = $1', [
      link,
    ])
    expect(rows).toEqual([{ crawler: true }])
    expect(await discrepancies()).toEqual([])
  })

  test('keep a bounded number of referrers and count the others as one', async () => {
    const link = await makeLink()
    const { journal, drain } = setup()
    const visits = (from: number, count: number) =>
      Array.from({ length: count }, (_, index) =>
        click(link, 1, { referrer: `https://r${from + index}.example/` }),
      )
    await appendAll(journal, visits(0, MAX_LABELS - 2))
    await drain()
    await appendAll(journal, visits(50_000, 10))
    await drain()
    await appendAll(journal, [...visits(0, 1), ...visits(90_000, 2000)])
    await drain()
    const found = await statistics.forLink(link)
    expect(found.clicks).toBe(MAX_LABELS - 2 + 10 + 2001)
    expect(found.referrers.slice(0, 2)).toEqual([
      ['Other', 8 + 2000],
      ['r0.example', 2],
    ])
    const { rows } = await database.pool.query<{ count: number }>(
      `select count(*) from labels where name like 'r%.example'`,
    )
    expect(rows[0]?.count).toBeLessThanOrEqual(MAX_LABELS + 10)
    expect(await discrepancies()).toEqual([])
  })

  test('survive labels that mean something to JavaScript', async () => {
    const link = await makeLink()
    const { journal, drain } = setup({
      describe: () => ({
        visitor: -(2n ** 63n),
        country: '__proto__',
        referrer: 'constructor',
        browser: 'toString',
        os: "Robert'); drop table clicks;--",
        device: 'desktop',
        social: undefined,
        crawler: false,
      }),
    })
    await appendAll(journal, [click(link, 1), click(link, 2)])
    await drain()
    expect(await statistics.forLink(link)).toMatchObject({
      clicks: 2,
      visitors: 1,
      countries: [['__proto__', 2]],
      referrers: [['constructor', 2]],
      browsers: [['toString', 2]],
      systems: [["Robert'); drop table clicks;--", 2]],
    })
  })
})

describe('a link that is deleted', () => {
  test('takes its clicks along, and later ones are dropped', async () => {
    const [kept, deleted] = [await makeLink(), await makeLink()]
    const { journal, drain } = setup()
    await appendAll(journal, [click(kept, 1), click(deleted, 1)])
    await drain()
    await remove(deleted)
    await appendAll(journal, [click(kept, 2), click(deleted, 2)])
    await drain()
    expect(await rowsOf(deleted)).toEqual([])
    expect(await statistics.forLink(kept)).toMatchObject({ clicks: 2, visitors: 2 })
    expect(await discrepancies()).toEqual([])
  })

  test('while its clicks are being imported leaves nothing behind', async () => {
    const links = [await makeLink(), await makeLink(), await makeLink()]
    const { journal, importer } = setup()
    const running = importer.run()
    for (let round = 0; round < 30; round += 1) {
      await appendAll(
        journal,
        links.map((link) => click(link, round)),
      )
      if (round === 15) await remove(links[1] ?? 0)
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
    await reached(async () => (await statistics.forLink(links[2] ?? 0)).clicks === 30)
    await importer.stop()
    await running
    expect(await rowsOf(links[1] ?? 0)).toEqual([])
    expect((await statistics.forLink(links[0] ?? 0)).clicks).toBe(30)
    expect(await discrepancies()).toEqual([])
  })

  test('just when its totals are about to be written is left out of the batch', async () => {
    const [kept, deleted] = [await makeLink(), await makeLink()]
    const { journal, importer } = setup()
    await appendAll(journal, [click(kept, 1), click(deleted, 1)])
    await importer.drain()
    await appendAll(journal, [click(kept, 2), click(deleted, 2)])
    let drained: Promise<number> | undefined
    await inTransaction(database.db, async (tx) => {
      await tx.deleteFrom('links').where('id', '=', deleted).execute()
      await removeClicks(tx, [deleted])
      drained = importer.drain()
      await reached(someoneWaits)
    })
    expect(await drained).toBe(2)
    expect(await rowsOf(deleted)).toEqual([])
    expect(await statistics.forLink(kept)).toMatchObject({ clicks: 2, visitors: 2 })
    expect(await discrepancies()).toEqual([])
  })

  test('with very many clicks is cleared away by and by', async () => {
    const link = await makeLink()
    const { journal, importer } = setup()
    await appendAll(
      journal,
      Array.from({ length: 6000 }, (_, identity) => click(link, identity)),
    )
    await importer.drain()
    await remove(link)
    expect(await statistics.forLink(link)).toEqual(NO_CLICKS)
    expect(await discrepancies()).toEqual([])
    expect(await rowsOf(link)).toEqual(['click_visitors', 'clicks', 'removed_links'])
    const running = importer.run()
    await reached(async () => (await rowsOf(link)).length === 0)
    await importer.stop()
    await running
  })
})

describe('the journal folder', () => {
  test('is left clean: a torn end of a writer that is gone is skipped, a live one’s is kept', async () => {
    const link = await makeLink()
    const { dir, journal, drain } = setup()
    await appendAll(journal, [click(link, 1)])
    const [live = ''] = segments(dir)
    const gone = segmentFile(newWriter().replace(/^(\d+)\.\w+/, '$1.1'), 1)
    writeFileSync(join(dir, gone), Buffer.from('ff4c4b01ffff', 'hex'))
    appendFileSync(join(dir, live), Buffer.from('ff4c4b01ffff', 'hex'))
    expect(await drain()).toBe(1)
    expect(segments(dir)).toEqual([live])
  })

  test('damage in the middle costs the frames that it hit', async () => {
    const link = await makeLink()
    const { dir, journal, drain } = setup()
    await appendAll(journal, [click(link, 1)])
    const [file = ''] = segments(dir)
    appendFileSync(join(dir, file), Buffer.alloc(3 << 20, 'damage'))
    const other = setup()
    await appendAll(other.journal, [click(link, 2)])
    const [good = ''] = segments(other.dir)
    appendFileSync(join(dir, file), readFileSync(join(other.dir, good)))
    expect(await drain()).toBe(2)
    expect(await statistics.forLink(link)).toMatchObject({ clicks: 2, visitors: 2 })
  })

  test('positions of segments that vanished are forgotten', async () => {
    const link = await makeLink()
    const { dir, journal, drain } = setup()
    await appendAll(journal, [click(link, 1)])
    await drain()
    const before = await positions()
    for (const file of segments(dir)) rmSync(join(dir, file))
    await drain()
    expect((await positions()).length).toBe(before.length - 1)
  })

  test('clicks of a batch that another importer has taken are not counted again', async () => {
    const link = await makeLink()
    const { journal, importer, log } = setup()
    const running = importer.run()
    await appendAll(journal, [click(link, 1)])
    await reached(async () => (await statistics.forLink(link)).clicks === 1)
    const client = await database.pool.connect()
    // What another importer would do whose claim was not seen: it holds, then moves the position.
    await client.query('begin')
    const moved = `update journal_positions set position = position * 2
                   where updated_at = (select max(updated_at) from journal_positions)`
    await client.query(moved)
    await appendAll(journal, [click(link, 1)])
    await reached(someoneWaits)
    await client.query('commit')
    client.release()
    await appendAll(journal, [click(link, 2)])
    await reached(async () => (await statistics.forLink(link)).clicks === 2)
    await importer.stop()
    await running
    expect(log).toEqual([
      'clicks cannot be imported, trying again',
      'clicks are being imported again',
    ])
    expect(await discrepancies()).toEqual([])
  })
})

describe('raw clicks', () => {
  test('go to the partition of their month, and whole months are dropped when they are old', async () => {
    const link = await makeLink()
    let now = new Date('2025-03-31T23:59:59Z')
    const { journal, importer } = setup({ clock: () => now, retentionDays: 40 })
    await appendAll(journal, [
      click(link, 1, { at: Date.UTC(2025, 0, 1) }),
      click(link, 2, { at: Date.UTC(2025, 1, 28, 23, 59, 59, 999) }),
      click(link, 3, { at: Date.UTC(2025, 2, 1) }),
    ])
    await importer.drain()
    const partitions = async () => {
      const { rows } = await database.pool.query<{ name: string }>(
        `select tableoid::regclass::text as name from clicks where link_id = $1 order by at`,
        [link],
      )
      return rows.map(({ name }) => name)
    }
    expect(await partitions()).toEqual(['clicks_2025_02', 'clicks_2025_03'])
    expect((await statistics.forLink(link)).clicks).toBe(3)
    now = new Date('2025-04-20T00:00:00Z')
    const running = importer.run()
    await reached(async () => (await partitions()).length === 1)
    await importer.stop()
    await running
    expect(await partitions()).toEqual(['clicks_2025_03'])
    expect((await statistics.forLink(link)).clicks).toBe(3)
    expect(await discrepancies()).toEqual([])
  })
})

describe('housekeeping', () => {
  test('deletes what has served its time', async () => {
    await database.pool.query(
      `insert into rate_windows values ('old', now() - interval '6 minutes', 1), ('new', now(), 1)`,
    )
    await database.pool.query(
      `insert into idempotency_keys select id, k, '', '', now() - age from accounts,
       (values ('old', interval '25 hours'), ('new', interval '23 hours')) v (k, age)`,
    )
    const { importer } = setup()
    const running = importer.run()
    const left = async () => {
      const { rows } = await database.pool.query<{ name: string }>(
        'select subject as name from rate_windows union all select key from idempotency_keys',
      )
      return rows.map(({ name }) => name)
    }
    await reached(async () => (await left()).length === 2)
    await importer.stop()
    await running
    expect(await left()).toEqual(['new', 'new'])
  })
})

describe('the check of the statistics', () => {
  test.each([
    ['click_totals', 'clicks = clicks + 1', ['sum of days', 'sum of countries', 'raw clicks']],
    ['click_totals', 'visitors = 7', ['visitors']],
    ['click_days', 'clicks = 9', ['sum of days']],
  ])('finds a difference in %s when %s', async (table, change, expected) => {
    const link = await makeLink()
    const { journal, drain } = setup()
    await appendAll(journal, [click(link, 1), click(link, 2)])
    await drain()
    await database.pool.query(`update ${table} set ${change} where link_id = $1`, [link])
    const found = (await discrepancies()).map(({ check, linkId }) => linkId === link && check)
    expect(found).toEqual(expect.arrayContaining(expected))
    await remove(link)
    expect(await discrepancies()).toEqual([])
  })

  test('finds rows of links that do not exist', async () => {
    await database.pool.query(`insert into click_days values (888888, '2026-01-01', 1)`)
    expect(await discrepancies()).toEqual([
      { linkId: 888_888, check: 'rows of a link that does not exist', expected: 0, found: 1 },
    ])
    await database.pool.query('delete from click_days where link_id = 888888')
  })
})

function setup(options: Parameters<typeof testImporter>[2] = {}) {
  const dir = mkdtempSync(join(tmpdir(), 'brevis-clicks-'))
  const log: string[] = []
  const note = (_: object, text: string) => void log.push(text)
  const journal = openTestJournal(dir)
  const importer = testImporter(dir, database, {
    log: { info: note, warn: note, error: note },
    ...options,
  })
  onTestFinished(async () => {
    await importer.stop()
    await journal.close()
    rmSync(dir, { recursive: true, force: true })
  })
  return { dir, journal, importer, drain: importer.drain, log }
}

let lastAlias = 0

async function makeLink(): Promise<number> {
  lastAlias += 1
  const { rows } = await database.pool.query<{ id: number }>(
    `insert into links (account_id, alias, url)
     values ((select min(id) from accounts), $1, 'https://example.com/') returning id`,
    [`alias-${lastAlias}`],
  )
  return rows[0]?.id ?? 0
}

function remove(link: number): Promise<void> {
  return inTransaction(database.db, async (tx) => {
    await tx.deleteFrom('links').where('id', '=', link).execute()
    await removeClicks(tx, [link])
  })
}

/** The click-side tables in which a link has rows. */
async function rowsOf(link: number): Promise<string[]> {
  const tables = ['click_totals', 'click_days', 'click_labels', 'click_visitors', 'clicks']
  const { rows } = await database.pool.query<{ name: string }>(
    [...tables, 'removed_links']
      .map((name) => `select distinct '${name}' as name from ${name} where link_id = $1`)
      .join(' union '),
    [link],
  )
  return rows.map(({ name }) => name).sort()
}

async function positions(): Promise<unknown[]> {
  return (await database.pool.query('select * from journal_positions')).rows
}

function discrepancies() {
  return Array.fromAsync(checkStatistics(database.db))
}

function segments(dir: string): string[] {
  return readdirSync(dir).filter((file) => file.endsWith('.clicks'))
}

async function someoneWaits(): Promise<boolean> {
  const { rows } = await database.pool.query(
    `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
  )
  return rows.length > 0
}

async function reached(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 20))
}
