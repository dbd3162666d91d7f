import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ImporterOptions, purgeRemovedClicks, removeClicks } from '../../src/clicks/import.ts'
import {
  checkStatistics,
  readLinkStatistics,
  readTotals,
  sumTotals,
} from '../../src/clicks/read.ts'
import { inTransaction } from '../../src/db/transaction.ts'
import { openTestJournal } from './click-journal.ts'
import { createTestImporter } from './clicks.ts'
import type { TestDatabase } from './database.ts'
import { accountTest } from './test.ts'

/** The statistics of a link without clicks, as read from the database. */
export const NO_STATISTICS = {
  clicks: 0,
  unavailable: false,
  visitors: 0,
  countries: [],
  referrers: [],
  browsers: [],
  systems: [],
  social: { facebook: 0, twitter: 0, instagram: 0 },
}

/** Returns a `test` for importing clicks, with one account per file. */
export function importTest() {
  return accountTest()
    .extend('makeLinks', { scope: 'file' }, ({ database, account }) =>
      createLinkMaker(database, account),
    )
    .extend('makeLink', { scope: 'file' }, ({ makeLinks }) => async () => {
      const [link = 0] = await makeLinks(1)
      return link
    })
    .extend('remove', { scope: 'file' }, ({ database }) => (link: number) => {
      return inTransaction(database.db, async (tx) => {
        await tx.deleteFrom('links').where('id', '=', link).execute()
        await removeClicks(tx, [link])
      })
    })
    .extend(
      'purge',
      { scope: 'file' },
      ({ database }) =>
        () =>
          purgeRemovedClicks(database.db),
    )
    .extend('statistics', { scope: 'file' }, ({ database }) => {
      const { db } = database
      return {
        totalsOf: (ids: readonly number[]) => readTotals(db, ids),
        async forLink(id: number) {
          const { clicks } = await sumTotals(db, [id])
          return readLinkStatistics(db, { id, clicks })
        },
      }
    })
    .extend('discrepancies', { scope: 'file' }, ({ database }) => {
      return () => Array.fromAsync(checkStatistics(database.db))
    })
    .extend('createImport', ({ database }, { onCleanup }) => {
      const opened: ReturnType<typeof openImport>[] = []
      onCleanup(async () => {
        for (const { close } of opened) await close()
      })
      /** Creates a journal and its importer, closed after the test. */
      return (options: Partial<ImporterOptions> = {}) => {
        const created = openImport(database, options)
        opened.push(created)
        return created
      }
    })
}

/** Creates a journal in a new folder, with its importer and the importer's log. Call `close` at the end. */
export function openImport(database: TestDatabase, options: Partial<ImporterOptions> = {}) {
  const dir = mkdtempSync(join(tmpdir(), 'brevis-clicks-'))
  const log: string[] = []
  const addToLog = (_: object, text: string) => void log.push(text)
  const journal = openTestJournal(dir)
  const importer = createTestImporter(dir, database, {
    log: { info: addToLog, warn: addToLog, error: addToLog },
    ...options,
  })
  async function close(): Promise<void> {
    await importer.stop()
    await journal.close()
    rmSync(dir, { recursive: true, force: true })
  }
  return { dir, journal, importer, drain: importer.drain, log, close }
}

function createLinkMaker({ pool }: TestDatabase, account: number) {
  let aliases = 0
  return async (count: number): Promise<number[]> => {
    const { rows } = await pool.query<{ id: number }>(
      `insert into links (account_id, alias, url)
       select $1, 'alias-' || $2 + n, 'https://example.com/'
       from generate_series(1, $3::int) n returning id`,
      [account, aliases, count],
    )
    aliases += count
    return rows.map(({ id }) => id)
  }
}

/** Returns the file names of the segments in a journal's folder. */
export function listSegments(dir: string): string[] {
  return readdirSync(dir).filter((file) => file.endsWith('.clicks'))
}

/** Waits until `condition` is true, without a timeout of its own. */
export async function waitUntil(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 20))
}
