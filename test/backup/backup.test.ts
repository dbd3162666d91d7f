import { mkdtemp, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, inject, onTestFinished, vi } from 'vitest'
import { checkStatistics } from '../../src/clicks/read.ts'
import { loadInstance } from '../../src/db/instance.ts'
import { migrate } from '../../src/db/migrate.ts'
import { countRows } from '../../src/db/row-counts.queries.ts'
import { deleteLink } from '../../src/links/link.service.ts'
import { scopeOf } from '../../src/scope.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { readBackup, runBackupCommand, runFailingCommand } from '../support/backups.ts'
import { appendAll, createClick, openTestJournal } from '../support/click-journal.ts'
import { createTestImporter } from '../support/clicks.ts'
import { databaseForTest, openPatiently } from '../support/database.ts'
import { emptyDatabase } from '../support/empty-database.ts'
import {
  countContentRows,
  createFilledDatabase,
  queryRows,
  readContent,
} from '../support/filled-database.ts'
import { run } from '../support/postgres.ts'
import { canMount, mountSmall } from '../support/small-disk.ts'
import { folderTest } from '../support/test.ts'

const test = folderTest()

describe('a restored backup', () => {
  test('has every row of every table', async ({ folder }) => {
    const source = await createFilledDatabase()
    const file = join(folder, 'filled')
    const entry = await runBackupCommand('backup', source, file)
    const expected = await readContent(source)
    const contents = { tables: expected.size, rows: countContentRows(expected) }
    expect(entry).toEqual({ file, ...contents, journal: expect.stringMatching(/\/journal$/) })

    const target = await emptyDatabase()
    const restored = await runBackupCommand('restore', target, file)
    expect(restored).toEqual({ madeAt: expect.any(String), ...contents, migrated: [] })
    expect(Math.abs(Date.now() - Date.parse(restored.madeAt))).toBeLessThan(60_000)
    expect(await readContent(target)).toEqual(expected)
    expect(await queryRows(target, 'select * from rate_windows')).toEqual([])
  })

  // The worker nodes of a cluster have no common snapshot.
  test.skipIf(inject('workers').length > 0)(
    'is consistent while links are created and clicks are imported',
    async ({ folder }) => {
      const app = await testApp()
      onTestFinished(app.close)
      const load = startLoad(app)
      await load.waitForMore(20)
      const file = join(folder, 'moment')
      for (let round = 0; round < 3; round += 1) {
        await runBackupCommand('backup', app.databaseUrl, file)
        const target = await emptyDatabase()
        await runBackupCommand('restore', target, file)
        await expectConsistent(target)
        await load.waitForMore(5)
      }
      await load.stop()
    },
  )

  test('has the same next IDs, counters and visitor key', async ({ folder }) => {
    const app = await testApp()
    onTestFinished(app.close)
    const owner = await app.make.owner()
    const links = [
      await app.make.link(owner),
      await app.make.link(owner),
      await app.make.link(owner),
    ]
    const last = Math.max(...links.map(({ id }) => id))
    // The newest link is deleted, but its ID must not be reused.
    await deleteLink(scopeOf(app.services, owner.account.id), last)
    const file = join(folder, 'kept')
    await runBackupCommand('backup', app.databaseUrl, file)
    const target = await emptyDatabase()
    await runBackupCommand('restore', target, file)

    const other = openPatiently(target)
    onTestFinished(other.close)
    expect(await loadInstance(other.db)).toEqual(app.services.instance)
    const entry = await other.pool.query(
      `insert into links (account_id, alias, url) values ($1, 'new', 'https://example.com/')
       returning id`,
      [owner.account.id],
    )
    expect(entry.rows).toEqual([{ id: last + 1 }])
    expect(await countRows(other.db, 'links', owner.account.id)).toBe(3)
  })

  test('continues importing the separately stored journal without losing or repeating clicks', async ({
    folder,
  }) => {
    const source = await databaseForTest()
    await run(source.url, [
      `insert into accounts (email, username) values ('a@example.com', 'a')`,
      `insert into links (account_id, alias, url) values (1, 'a', 'https://example.com/')`,
    ])
    const dir = await mkdtemp(join(folder, 'journal-'))
    const journal = openTestJournal(dir)
    onTestFinished(() => journal.close())
    await appendAll(journal, [createClick(1, 1), createClick(1, 2)])
    expect(await createTestImporter(dir, source).drain()).toBe(2)
    await appendAll(journal, [createClick(1, 3)])
    const file = join(folder, 'journal-kept')
    await runBackupCommand('backup', source.url, file)
    await appendAll(journal, [createClick(1, 4), createClick(1, 5)])

    const target = await emptyDatabase()
    await runBackupCommand('restore', target, file)
    const other = openPatiently(target)
    onTestFinished(other.close)
    expect(await createTestImporter(dir, other).drain()).toBe(3)
    const counted = 'select clicks, visitors from click_totals natural join click_details'
    expect((await other.pool.query(counted)).rows).toEqual([{ clicks: 5, visitors: 5 }])
  })

  test('has all rows of a table whose backup has several parts, which end with complete rows', async ({
    folder,
  }) => {
    const source = await createFilledDatabase()
    // A row larger than a part between rows of a megabyte, with all characters that COPY escapes.
    await run(source, [
      `insert into bio_pages (account_id, alias, title, text)
       select 1, 'page-' || n, '', repeat(E'\\\\\\t\\n\\\\.\\né😀', case n when 9 then 1500000 else 60000 end)
       from generate_series(1, 20) as n`,
    ])
    const file = join(folder, 'large')
    await runBackupCommand('backup', source, file)
    const parts = [...(await readBackup(file))].filter(([name]) => name.startsWith('bio_pages.'))
    expect(parts.map(([name]) => name).slice(0, 2)).toEqual([
      'bio_pages.00001.copy',
      'bio_pages.00002.copy',
    ])
    for (const [, content] of parts) expect(content.at(-1)).toBe('\n')

    const target = await emptyDatabase()
    await runBackupCommand('restore', target, file)
    const checksums = 'select alias, length(text), md5(text) from bio_pages order by id'
    expect(await queryRows(target, checksums)).toEqual(await queryRows(source, checksums))
  })
})

describe('a backup file', () => {
  test('is readable only by its owner and replaces an older file atomically', async ({
    folder,
  }) => {
    const source = await createFilledDatabase()
    const backupPath = join(await mkdtemp(join(folder, 'target-')), 'backup')
    await writeFile(backupPath, 'older')
    await run(source, ['create table notes (text text)'])
    const refusal = 'The table notes does not belong to Brevis. Move it to another schema.'
    expect(await runFailingCommand('backup', source, backupPath)).toContain(refusal)
    expect(await readFile(backupPath, 'utf8')).toBe('older')

    await run(source, ['create schema elsewhere', 'alter table notes set schema elsewhere'])
    await runBackupCommand('backup', source, backupPath)
    expect((await stat(backupPath)).mode & 0o777).toBe(0o600)
    expect(await readdir(join(backupPath, '..'))).toEqual(['backup'])
  })

  test.runIf(canMount())(
    'does not replace the older file if the disk is full',
    async ({ folder }) => {
      const source = await createFilledDatabase()
      // More than one part of incompressible bytes, so that the disk fills up within a table.
      await run(source, [
        `insert into click_visitors select 9, n, random from generate_series(1, 6) as n, (
         select string_agg(sha256(i::text::bytea), '') as random from generate_series(1, 65536) as i) as bytes`,
      ])
      const disk = await mkdtemp(join(folder, 'disk-'))
      mountSmall(disk, '1m')
      await writeFile(join(disk, 'backup'), 'older')
      expect(await runFailingCommand('backup', source, join(disk, 'backup'))).toContain(
        'no space left',
      )
      expect(await readdir(disk)).toEqual(['backup'])
      expect(await readFile(join(disk, 'backup'), 'utf8')).toBe('older')
    },
  )

  test("is written only for this version's schema", async ({ folder }) => {
    const missing = join(folder, 'missing')
    const source = await emptyDatabase()
    expect(await runFailingCommand('backup', source, missing)).toContain(
      'the database has no schema',
    )
    await migrate(source)
    await run(source, [`insert into migrations (name, checksum) values ('9999-later', 'x')`])
    const refusal = 'The database is newer than this program: it has migration 9999-later.'
    expect(await runFailingCommand('backup', source, missing)).toContain(refusal)
    await expect(stat(missing)).rejects.toThrow('ENOENT')
  })
})

/** Creates and visits links and imports their clicks until stopped. */
function startLoad(app: TestApp) {
  let created = 0
  let isStopping = false
  const createLinks = async () => {
    const owner = await app.make.owner()
    while (!isStopping) {
      const { alias } = await app.make.link(owner)
      const visits = [1, 2, 3].map(() => app.request({ url: `/${alias}` }))
      for (const { statusCode } of await Promise.all(visits)) expect(statusCode).toBe(302)
      created += 1
    }
  }
  const importAll = async () => {
    while (!isStopping) await app.importClicks()
  }
  const tasks = Promise.all([createLinks(), createLinks(), importAll()])
  return {
    /** Resolves after this many more links were created and some of their clicks imported. */
    async waitForMore(count: number) {
      const goal = created + count
      await vi.waitUntil(() => created >= goal, { timeout: 60_000 })
      const imported = 'select from click_totals where clicks > 0 limit 1'
      const { pool } = app.services.database
      await vi.waitUntil(async () => (await pool.query(imported)).rowCount, { timeout: 60_000 })
    },
    async stop() {
      isStopping = true
      await tasks
    },
  }
}

/** Expects that statistics and row counters of a database match its clicks and links. */
async function expectConsistent(url: string): Promise<void> {
  const database = openPatiently(url)
  try {
    const totals = await database.pool.query('select sum(clicks)::bigint as sum from click_totals')
    expect(totals.rows[0]?.sum).toBeGreaterThan(0)
    expect(await Array.fromAsync(checkStatistics(database.db))).toEqual([])
    const counted = await database.pool.query(
      `select account_id as id, count(*) as links from links group by 1`,
    )
    expect(counted.rows.length).toBeGreaterThan(0)
    for (const { id, links } of counted.rows) {
      expect(await countRows(database.db, 'links', id)).toBe(links)
    }
  } finally {
    await database.close()
  }
}
