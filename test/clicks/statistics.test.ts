import { describe, expect } from 'vitest'
import { MAX_LABELS } from '../../src/clicks/import.ts'
import { readLinkStatistics } from '../../src/clicks/read.ts'
import { appendAll, createClick } from '../support/click-journal.ts'
import { NO_LABELS } from '../support/clicks.ts'
import { importTest, NO_STATISTICS } from '../support/imports.ts'
import { rawClicks } from '../support/raw-clicks.ts'

const test = importTest()

describe('the statistics of a link', () => {
  test('are zero and empty before the first click', async ({ statistics, makeLink }) => {
    expect(await statistics.forLink(await makeLink())).toEqual(NO_STATISTICS)
  })

  test('return clicks by country, referrer, browser and system', async ({
    statistics,
    createImport,
    makeLink,
    discrepancies,
  }) => {
    const link = await makeLink()
    const { journal, drain } = createImport()
    const phone =
      'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1'
    const at = Date.UTC(2026, 10, 20, 12)
    await appendAll(journal, [
      createClick(link, 1, { at, referrer: 'https://www.facebook.com/x' }),
      createClick(link, 1, { at: at + 1000 }),
      createClick(link, 2, { at: at - 5000, address: '20.0.0.1', userAgent: phone }),
      createClick(link, 3, {
        at,
        address: '20.0.0.2',
        userAgent: phone,
        referrer: 'https://t.co/abc',
      }),
      createClick(link, 4, { at, referrer: 'https://m.facebook.com/' }),
    ])
    expect(await drain()).toBe(5)
    expect(await statistics.forLink(link)).toEqual({
      clicks: 5,
      unavailable: false,
      visitors: 4,
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
      new Map([[link, { clicks: 5, lastClickAt: new Date(at + 1000) }]]),
    )
    expect(await discrepancies()).toEqual([])
  })

  test('include clicks imported after the caller read the total', async ({
    database,
    createImport,
    makeLink,
  }) => {
    const link = await makeLink()
    const { journal, drain } = createImport()
    await appendAll(journal, [createClick(link, 1), createClick(link, 2)])
    await drain()
    // The caller has read the total before the second click was imported.
    const found = await readLinkStatistics(database.db, { id: link, clicks: 1 })
    expect(found).toMatchObject({ clicks: 2, visitors: 2 })
  })

  test('return ten labels, most clicks first, then by name', async ({
    statistics,
    createImport,
    makeLink,
  }) => {
    const link = await makeLink()
    const { journal, drain } = createImport()
    const hosts = Array.from(
      { length: 14 },
      (_, index) => `host${String.fromCharCode(110 - index)}`,
    )
    await appendAll(journal, [
      ...hosts.map((host) => createClick(link, 1, { referrer: `https://${host}.example/` })),
      ...[1, 2].map(() => createClick(link, 1, { referrer: 'https://zzz.example/' })),
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

  test('accumulate over batches and count visitors once', async ({
    statistics,
    createImport,
    makeLink,
    discrepancies,
  }) => {
    const link = await makeLink()
    const { journal, drain } = createImport()
    for (let round = 0; round < 3; round += 1) {
      await appendAll(journal, [createClick(link, 1), createClick(link, 2 + round)])
      await drain()
    }
    expect(await statistics.forLink(link)).toMatchObject({ clicks: 6, visitors: 4 })
    expect(await discrepancies()).toEqual([])
  })

  test('recognize any number of returning visitors', async ({
    database,
    statistics,
    createImport,
    makeLink,
    discrepancies,
  }) => {
    const link = await makeLink()
    const { journal, drain } = createImport({ batch: 400 })
    const visits = (from: number, count: number) =>
      Array.from({ length: count }, (_, index) => createClick(link, from + index))
    await appendAll(journal, visits(0, 3000))
    expect(await drain()).toBe(3000)
    expect(await statistics.forLink(link)).toMatchObject({ clicks: 3000, visitors: 3000 })
    await appendAll(journal, [...visits(1000, 2500), ...visits(0, 100)])
    await drain()
    expect(await statistics.forLink(link)).toMatchObject({ clicks: 5600, visitors: 3500 })
    const stored = await rawClicks(database.pool, [link])
    expect(new Set(stored.map(({ visitor }) => visitor)).size).toBe(3500)
    expect(stored.filter(({ isFirst }) => isFirst)).toHaveLength(3500)
    expect(await discrepancies()).toEqual([])
  })

  test('count a visitor once if several importers import concurrently', async ({
    statistics,
    createImport,
    makeLinks,
    discrepancies,
  }) => {
    const links = await makeLinks(3)
    const importers = [
      createImport({ batch: 300 }),
      createImport({ batch: 300 }),
      createImport({ batch: 300 }),
    ]
    for (const { journal } of importers) {
      for (let from = 0; from < 1000; from += 250) {
        await appendAll(
          journal,
          links.flatMap((link) =>
            Array.from({ length: 250 }, (_, index) => createClick(link, from + index)),
          ),
        )
      }
    }
    await Promise.all(importers.map(({ drain }) => drain()))
    for (const link of links) {
      expect(await statistics.forLink(link)).toMatchObject({ clicks: 3000, visitors: 1000 })
    }
    expect(await discrepancies()).toEqual([])
  })

  test('exclude crawlers, whose clicks are stored separately', async ({
    database,
    statistics,
    createImport,
    makeLink,
    discrepancies,
  }) => {
    const link = await makeLink()
    const { journal, drain } = createImport()
    await appendAll(journal, [createClick(link, 1, { userAgent: 'Googlebot/2.1' })])
    expect(await drain()).toBe(1)
    expect(await statistics.forLink(link)).toEqual(NO_STATISTICS)
    const stored = await rawClicks(database.pool, [link])
    expect(stored).toMatchObject([{ crawler: true, isFirst: false }])
    expect(await discrepancies()).toEqual([])
  })

  test('count referrers beyond the limit as Other', async ({
    database,
    statistics,
    createImport,
    makeLink,
    discrepancies,
  }) => {
    const link = await makeLink()
    const { journal, drain } = createImport()
    const visits = (from: number, count: number) =>
      Array.from({ length: count }, (_, index) =>
        createClick(link, 1, { referrer: `https://r${from + index}.example/` }),
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

  test('support labels with special meaning in JavaScript or SQL', async ({
    statistics,
    createImport,
    makeLink,
  }) => {
    const link = await makeLink()
    const { journal, drain } = createImport({
      describe: () => ({
        ...NO_LABELS,
        visitor: -(2n ** 63n),
        country: '__proto__',
        referrer: 'constructor',
        browser: 'toString',
        os: "Robert'); drop table clicks;--",
        device: 'desktop',
        crawler: false,
      }),
    })
    await appendAll(journal, [createClick(link, 1), createClick(link, 2)])
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

describe('the check of the statistics', () => {
  test.for<[table: string, change: string, expected: string[]]>([
    ['click_totals', 'clicks = clicks + 1', ['sum of days', 'sum of countries', 'raw clicks']],
    ['click_details', 'visitors = 7', ['visitors']],
    ['click_days', 'clicks = 9', ['sum of days']],
  ])(
    'detects a difference in %s if %s',
    async ([table, change, expected], {
      database,
      createImport,
      makeLink,
      remove,
      discrepancies,
    }) => {
      const link = await makeLink()
      const { journal, drain } = createImport()
      await appendAll(journal, [createClick(link, 1), createClick(link, 2)])
      await drain()
      await database.pool.query(`update ${table} set ${change} where link_id = $1`, [link])
      const found = (await discrepancies()).map(({ check, linkId }) => linkId === link && check)
      expect(found).toEqual(expect.arrayContaining(expected))
      await remove(link)
      expect(await discrepancies()).toEqual([])
    },
  )

  test('detects rows of a link that does not exist', async ({ database, discrepancies }) => {
    await database.pool.query(`insert into click_days values (888888, '2026-01-01', 0, 0, '', '')`)
    expect(await discrepancies()).toEqual([
      { linkId: 888_888, check: 'rows of a link that does not exist', expected: 0, found: 1 },
    ])
    await database.pool.query('delete from click_days where link_id = 888888')
  })
})
