import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { ImporterOptions } from '../../src/clicks/import/importer.ts'
import { checkStatistics } from '../../src/clicks/maintenance/check.ts'
import { removeClicks } from '../../src/clicks/statistics/remove-clicks.queries.ts'
import { createStatistics } from '../../src/clicks/statistics/statistics.ts'
import { inTransaction } from '../../src/db/transaction.ts'
import { openTestJournal } from './click-journal.ts'
import { testImporter } from './clicks.ts'
import { testDatabase } from './database.ts'

/** The statistics of what nobody has clicked yet. */
export const NO_STATISTICS = {
  clicks: 0,
  visitors: 0,
  lastClickAt: undefined,
  countries: [],
  referrers: [],
  browsers: [],
  systems: [],
  social: { facebook: 0, twitter: 0, instagram: 0 },
}

/** A database with one account, and what tests do that import clicks into it. */
export async function importDatabase() {
  const database = await testDatabase()
  const { db, pool } = database
  await pool.query(
    `insert into accounts (email, username, password_hash) values ('a@example.com', 'a', '')`,
  )
  let aliases = 0

  /** A journal, and the importer of its folder, for one test. */
  function setup(options: Partial<ImporterOptions> = {}) {
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

  async function makeLinks(count: number): Promise<number[]> {
    const { rows } = await pool.query<{ id: number }>(
      `insert into links (account_id, alias, url)
       select (select min(id) from accounts), 'alias-' || $1 + n, 'https://example.com/'
       from generate_series(1, $2::int) n returning id`,
      [aliases, count],
    )
    aliases += count
    return rows.map(({ id }) => id)
  }

  async function makeLink(): Promise<number> {
    const [link = 0] = await makeLinks(1)
    return link
  }

  function remove(link: number): Promise<void> {
    return inTransaction(db, async (tx) => {
      await tx.deleteFrom('links').where('id', '=', link).execute()
      await removeClicks(tx, [link])
    })
  }

  /** The click-side tables in which a link has rows. */
  async function rowsOf(link: number): Promise<string[]> {
    const tables = ['click_totals', 'click_days', 'click_details', 'click_visitors', 'clicks']
    const { rows } = await pool.query<{ name: string }>(
      [...tables, 'removed_links']
        .map((name) => `select distinct '${name}' as name from ${name} where link_id = $1`)
        .join(' union '),
      [link],
    )
    return rows.map(({ name }) => name).sort()
  }

  const discrepancies = () => Array.fromAsync(checkStatistics(db))
  const statistics = createStatistics({ db })

  return { database, statistics, setup, makeLinks, makeLink, remove, rowsOf, discrepancies }
}

/** The segments in a journal's folder. */
export function segments(dir: string): string[] {
  return readdirSync(dir).filter((file) => file.endsWith('.clicks'))
}

export async function reached(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 20))
}
