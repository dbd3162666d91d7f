import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, inject, onTestFinished, vi } from 'vitest'
import { backUp } from '../../src/backup/back-up.ts'
import { restore } from '../../src/backup/restore.ts'
import { checkStatistics } from '../../src/clicks/maintenance/check.ts'
import { loadInstance } from '../../src/db/instance.ts'
import { migrate } from '../../src/db/migrate.ts'
import { openDatabase } from '../../src/db/pool.ts'
import { countRows } from '../../src/db/row-counts.queries.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { appendAll, click, openTestJournal } from '../support/click-journal.ts'
import { testImporter } from '../support/clicks.ts'
import { databaseForTest } from '../support/database.ts'
import { emptyDatabase } from '../support/empty-database.ts'
import {
  type Content,
  connect,
  contentOf,
  countAll,
  currentDatabase,
  rowsOf,
} from '../support/filled-database.ts'
import { databaseOf, run } from '../support/postgres.ts'
import { folderTest } from '../support/test.ts'

const now = new Date('2026-11-21T10:00:00Z')

const test = folderTest()
  /** A backup of the filled database, what it says of itself and what it was made of. */
  .extend('filled', { scope: 'file' }, async ({ folder }) => {
    const databaseUrl = await currentDatabase()
    const file = join(folder, 'filled')
    const contents = await backUp({ databaseUrl, file, now })
    return { file, contents, expected: await contentOf(databaseUrl) }
  })

describe('a backup', () => {
  test('brings every row of every table into another database', async ({
    filled: { file, contents, expected },
  }) => {
    expect(contents).toEqual({ tables: expected.size, rows: countAll(expected) })
    for (const [table, rows] of expected) expect(rows, table).not.toEqual([])

    const target = await emptyDatabase()
    const restored = await restore({ databaseUrl: target, file })
    expect(restored).toEqual({ madeAt: now.toISOString(), ...contents, migrated: [] })
    expectSame(await contentOf(target), expected)
    expect(await rowsOf(target, 'select * from rate_windows')).toEqual([])
  })

  test('shows one moment, though links are made and clicks imported meanwhile', async ({
    folder,
  }) => {
    const t = await testApp()
    onTestFinished(t.close)
    const load = startLoad(t)
    await load.reached(20)
    const witness = await connect(t.databaseUrl)
    await witness.query('begin isolation level repeatable read read only')
    const { rows } = await witness.query<{ name: string }>('select pg_export_snapshot() as name')
    await load.reached(40)
    const moment = join(folder, 'moment')
    const snapshot = rows[0]?.name
    await backUp({ databaseUrl: t.databaseUrl, file: moment, now, snapshot })
    await load.stop()
    const expected = await contentOf(t.databaseUrl, witness)
    await witness.end()

    const target = await emptyDatabase()
    await restore({ databaseUrl: target, file: moment })
    expectSame(await contentOf(target), expected)
    expect(countAll(expected)).toBeLessThan(countAll(await contentOf(t.databaseUrl)))
    await expectConsistent(target)
  })

  test('agrees with itself when it is made and restored beside the same load', async ({
    folder,
  }) => {
    const t = await testApp()
    onTestFinished(t.close)
    const load = startLoad(t)
    await load.reached(20)
    const beside = join(folder, 'beside')
    await backUp({ databaseUrl: t.databaseUrl, file: beside, now })
    const target = await emptyDatabase()
    await restore({ databaseUrl: target, file: beside })
    await load.stop()
    await expectConsistent(target)
  })

  test('goes on where it was: identities, counters and the key of the visitors', async ({
    folder,
  }) => {
    const t = await testApp()
    onTestFinished(t.close)
    const owner = await t.make.owner()
    const links = [await t.make.link(owner), await t.make.link(owner), await t.make.link(owner)]
    const last = Math.max(...links.map(({ id }) => id))
    // The newest link is gone, but its number must not come back.
    await t.services.links.delete(owner.account.id, last)
    const kept = join(folder, 'kept')
    await backUp({ databaseUrl: t.databaseUrl, file: kept, now })
    const target = await emptyDatabase()
    await restore({ databaseUrl: target, file: kept })

    const other = openDatabase({ url: target, name: 'test' })
    try {
      expect(await loadInstance(other.db)).toEqual(t.services.instance)
      const made = await other.pool.query(
        `insert into links (account_id, alias, url) values ($1, 'new', 'https://example.com/')
         returning id`,
        [owner.account.id],
      )
      expect(made.rows).toEqual([{ id: last + 1 }])
      expect(await countRows(other.db, 'links', owner.account.id)).toBe(3)
    } finally {
      await other.close()
    }
  })

  test('does not count the clicks of a journal twice that was kept beside it', async ({
    folder,
  }) => {
    const source = await databaseForTest()
    await source.pool.query(
      `insert into accounts (email, username, password_hash) values ('a@example.com', 'a', '')`,
    )
    await source.pool.query(
      `insert into links (account_id, alias, url) values (1, 'a', 'https://example.com/')`,
    )
    const dir = await mkdtemp(join(folder, 'journal-'))
    const journal = openTestJournal(dir)
    onTestFinished(() => journal.close())
    await appendAll(journal, [click(1, 1), click(1, 2)])
    expect(await testImporter(dir, source).drain()).toBe(2)
    await appendAll(journal, [click(1, 3)])
    const early = join(folder, 'journal-kept')
    await backUp({ databaseUrl: source.url, file: early, now })
    await appendAll(journal, [click(1, 4), click(1, 5)])

    const target = await emptyDatabase()
    await restore({ databaseUrl: target, file: early })
    const other = openDatabase({ url: target, name: 'test', queryTimeout: 30_000 })
    try {
      expect(await testImporter(dir, other).drain()).toBe(3)
      const { rows } = await other.pool.query(
        'select clicks, visitors from click_totals natural join click_details',
      )
      expect(rows).toEqual([{ clicks: 5, visitors: 5 }])
    } finally {
      await other.close()
    }
  })

  test('can be read by its owner alone and replaces an older one only when it is complete', async ({
    folder,
  }) => {
    const source = await currentDatabase()
    const place = join(await mkdtemp(join(folder, 'place-')), 'backup')
    await writeFile(place, 'older')
    await run(source, ['alter table overlay_answers add foreign key (id) references overlays'])
    await run(source, ['alter table overlays add foreign key (id) references overlay_answers'])
    await expect(backUp({ databaseUrl: source, file: place, now })).rejects.toThrow('refer to each')
    expect(await readFile(place, 'utf8')).toBe('older')

    await run(source, ['alter table overlays drop constraint overlays_id_fkey'])
    await backUp({ databaseUrl: source, file: place, now })
    expect((await stat(place)).mode & 0o777).toBe(0o600)
    expect(await readdir(join(place, '..'))).toEqual(['backup'])
  })

  test('of a database without a schema is refused', async ({ folder }) => {
    const missing = join(folder, 'missing')
    await expect(
      backUp({ databaseUrl: await emptyDatabase(), file: missing, now }),
    ).rejects.toThrow('There is nothing to back up: the database has no schema.')
    await expect(stat(missing)).rejects.toThrow('ENOENT')
  })
})

test('a restore works in a database that was started once, but has no accounts', async ({
  filled: { file },
}) => {
  const target = await emptyDatabase()
  await migrate(target)
  const database = openDatabase({ url: target, name: 'test' })
  const own = await loadInstance(database.db)
  await database.close()
  await restore({ databaseUrl: target, file })
  const [instance] = await rowsOf(target, 'select token from instance')
  expect(instance).toEqual({ token: 'an-instance-token' })
  expect(own.token).not.toBe('an-instance-token')
})

test('a restore needs no more rights than those of the owner of the database', async ({
  folder,
  filled: { file },
}) => {
  const name = `brevis_owner_${randomBytes(4).toString('hex')}`
  const admin = inject('serverUrl')
  await run(admin, [
    `create role ${name} login password 'secret'`,
    `create database ${name} owner ${name}`,
  ])
  onTestFinished(() =>
    run(admin, [`drop database if exists ${name} with (force)`, `drop role ${name}`]),
  )
  const target = new URL(databaseOf(admin, name))
  target.username = name
  target.password = 'secret'
  await restore({ databaseUrl: target.href, file })
  const again = join(folder, 'again')
  const contents = await backUp({ databaseUrl: target.href, file: again, now })
  expect(contents.rows).toBe(countAll(await contentOf(target.href)))
  expect(contents.rows).toBeGreaterThan(0)
})

/** Links being made, visited and imported all the time, until it is stopped. */
function startLoad(t: TestApp) {
  let [made, stopping] = [0, false]
  const makeLinks = async () => {
    const owner = await t.make.owner()
    while (!stopping) {
      const { alias } = await t.make.link(owner)
      const visits = [1, 2, 3].map(() => t.request({ url: `/${alias}` }))
      for (const { statusCode } of await Promise.all(visits)) expect(statusCode).toBe(302)
      made += 1
    }
  }
  const importAll = async () => {
    while (!stopping) await t.importClicks()
  }
  const work = Promise.all([makeLinks(), makeLinks(), importAll()])
  return {
    /** So many links after now have been made, and clicks of some of them are in. */
    async reached(count: number) {
      const goal = made + count
      await vi.waitUntil(() => made >= goal, { timeout: 20_000 })
      const imported = 'select from click_totals where clicks > 0 limit 1'
      const { pool } = t.services.database
      await vi.waitUntil(async () => (await pool.query(imported)).rowCount, { timeout: 20_000 })
    },
    async stop() {
      stopping = true
      await work
    },
  }
}

function expectSame(found: Content, expected: Content): void {
  expect([...found.keys()]).toEqual([...expected.keys()])
  for (const [table, rows] of expected) expect(found.get(table), table).toEqual(rows)
}

async function expectConsistent(url: string): Promise<void> {
  const database = openDatabase({ url, name: 'test', queryTimeout: 30_000 })
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
