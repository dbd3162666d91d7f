import { describe, expect } from 'vitest'
import type { ClickRecord } from '../../src/clicks/journal/format.ts'
import { appendAll, createClick } from '../support/click-journal.ts'
import { importTest } from '../support/imports.ts'

const test = importTest()
  /** Returns the stored days of these links and of all accounts in readable form. */
  .extend('readDays', { scope: 'file' }, ({ database: { pool } }) => {
    return async (links: readonly number[]) => {
      const days = await pool.query(
        `select link_id, day::text, clicks, visitors, encode(hours, 'hex') as hours,
           encode(labels, 'hex') as labels
         from click_days where link_id = any($1) order by 1, 2`,
        [links],
      )
      const accounts = await pool.query(
        `select account_id, day::text, clicks, visitors, encode(hours, 'hex') as hours,
           encode(labels, 'hex') as labels from account_days order by 1, 2`,
      )
      return { days: days.rows, accounts: accounts.rows }
    }
  })
  .extend('sumColumn', { scope: 'file' }, ({ database: { pool } }) => {
    return async (column: string, table: string, links: readonly number[]) => {
      const { rows } = await pool.query<{ sum: number | null }>(
        `select sum(${column})::integer as sum from ${table} where link_id = any($1)`,
        [links],
      )
      return rows[0]?.sum ?? 0
    }
  })

const START = Date.UTC(2026, 8, 28, 22)
const HOUR = 3_600_000
const PHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1'

/** Returns this many clicks of links by 30 visitors, one every five hours. */
function createClicks(links: readonly number[], count: number): ClickRecord[] {
  return Array.from({ length: count }, (_, index) => {
    return createClick(links[index % links.length] as number, (index * 7) % 30, {
      at: START + index * 5 * HOUR,
      referrer: index % 4 ? `https://r${index % 9}.example/` : '',
      languages: ['', 'de', 'fr-CA,fr'][index % 3] as string,
      ...(index % 5 === 0 && { userAgent: PHONE }),
    })
  })
}

describe('days of links and accounts', () => {
  test('are the same whether clicks are imported in one batch or in many by two importers', async ({
    createImport,
    makeLinks,
    discrepancies,
    readDays,
    sumColumn,
  }) => {
    const links = await makeLinks(3)
    const clicks = createClicks(links, 300)
    const single = createImport()
    await appendAll(single.journal, clicks)
    await single.drain()
    const expected = await readDays(links)
    expect(expected.days.length).toBeGreaterThan(100)

    const newLinks = await makeLinks(3)
    const importers = [createImport({ batch: 7 }), createImport({ batch: 40 })]
    for (const [index, { journal }] of importers.entries()) {
      const ownClicks = clicks.filter((_, at) => Math.floor(at / 50) % 2 === index)
      const movedClicks = ownClicks.map((click) => ({
        ...click,
        linkId: newLinks[links.indexOf(click.linkId)] as number,
      }))
      await appendAll(journal, movedClicks)
    }
    await Promise.all(importers.map(({ drain }) => drain()))
    const actual = await readDays(newLinks)
    // The day on which a visitor counts as new depends on the order of imports.
    const toComparable = (rows: Record<string, unknown>[]) =>
      rows.map(({ clicks: count, labels, day }) => ({ count, labels, day }))
    expect(toComparable(actual.days)).toEqual(toComparable(expected.days))
    expect(await sumColumn('visitors', 'click_days', newLinks)).toBe(
      await sumColumn('visitors', 'click_details', newLinks),
    )
    expect(await discrepancies()).toEqual([])
  })

  test('of a deleted link are deleted, but still count for the account', async ({
    createImport,
    makeLinks,
    remove,
    purge,
    discrepancies,
    readDays,
  }) => {
    const [link = 0] = await makeLinks(1)
    const { journal, drain } = createImport()
    await appendAll(journal, createClicks([link], 20))
    await drain()
    const before = (await readDays([link])).accounts
    await remove(link)
    expect(await discrepancies()).toEqual([])
    await purge()
    const after = await readDays([link])
    expect(after.days).toEqual([])
    expect(after.accounts).toEqual(before)
    expect(await discrepancies()).toEqual([])
  })
})
