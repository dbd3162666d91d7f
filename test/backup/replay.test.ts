import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, inject, onTestFinished } from 'vitest'
import { createHandOver, createReceivedClicks } from '../../src/clicks/import.ts'
import { systemClock } from '../../src/clock.ts'
import { createChildEnvironment } from '../../src/config.ts'
import type { Database } from '../../src/db/pool.ts'
import { runBackupCommand } from '../support/backups.ts'
import { appendAll, createClick, openTestJournal } from '../support/click-journal.ts'
import { createTestImporter, describeClick } from '../support/clicks.ts'
import { databaseForTest, openPatiently } from '../support/database.ts'
import { emptyDatabase } from '../support/empty-database.ts'
import { listSegments } from '../support/imports.ts'
import { run } from '../support/postgres.ts'
import { folderTest } from '../support/test.ts'

const CLICKS_PER_SEGMENT = 250
const keep = { hours: 24, minFreeBytes: 0 }
const log = { info: () => {}, warn: () => {}, error: () => {} }

const test = folderTest().extend('createJournal', ({ folder }) => {
  /** Creates a database with a link, and a journal with a segment per call of `append`. */
  return async () => {
    const source = await databaseForTest()
    await run(source.url, [
      `insert into accounts (email, username) values ('a@example.com', 'a')`,
      `insert into links (account_id, alias, url) values (1, 'a', 'https://example.com/')`,
    ])
    const dir = await mkdtemp(join(folder, 'journal-'))
    const journal = openTestJournal(dir, { segmentBytes: 1 })
    onTestFinished(() => journal.close())
    let identity = 0
    const append = () =>
      appendAll(
        journal,
        Array.from({ length: CLICKS_PER_SEGMENT }, () => createClick(1, ++identity)),
      )
    const file = join(dir, 'backup')
    return {
      source,
      dir,
      append,
      backUp: () => runBackupCommand('backup', source.url, file),
      /** Restores the backup to an empty database. */
      async restore() {
        const target = await emptyDatabase()
        await runBackupCommand('restore', target, file)
        const database = openPatiently(target)
        onTestFinished(database.close)
        return { ...database, url: target }
      },
    }
  }
})

/** Opens the hand-over of an edge's journal to the main installation that `getMain` returns. */
function openHandOver(
  dir: string,
  getMain: () => ReturnType<typeof createReceivedClicks>,
  clock: () => Date,
) {
  return createHandOver({
    dir,
    installation: '',
    receiver: {
      readPositions: ({ journal }) => getMain().readPositions(journal),
      send: (clicks) => getMain().count(clicks),
    },
    describe: describeClick,
    clock,
    log,
    keep,
  })
}

/** Imports a journal in a process that kills itself before it commits the second batch. */
async function importUntilKilled(dir: string, url: string): Promise<void> {
  const file = new URL('../support/click-importer.ts', import.meta.url).pathname
  const child = spawn(process.execPath, [file, dir, url, 'drain', 'before commit', '2'], {
    env: createChildEnvironment(inject('compileCache')),
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  expect(await once(child, 'exit')).toEqual([null, 'SIGKILL'])
}

async function countClicks({ pool }: Pick<Database, 'pool'>) {
  const query = 'select clicks, visitors from click_totals natural join click_details'
  return (await pool.query(query)).rows
}

describe('a restored backup', () => {
  test('gets the clicks since the backup from kept segments exactly once, even if the importer is killed', async ({
    createJournal,
  }) => {
    const { source, dir, append, backUp, restore } = await createJournal()
    const importInto = (database: Pick<Database, 'db' | 'pool'>) =>
      createTestImporter(dir, database, { keep }).drain()
    await append()
    await append()
    await importInto(source)
    await backUp()
    for (let round = 0; round < 3; round += 1) await append()
    await importInto(source)
    expect(listSegments(dir)).toHaveLength(1)
    expect(await readdir(join(dir, 'kept'))).toHaveLength(4)

    const target = await restore()
    await importUntilKilled(dir, target.url)
    const clicks = 5 * CLICKS_PER_SEGMENT
    const [{ clicks: before } = { clicks: clicks }] = await countClicks(target)
    expect(before).toBeLessThan(clicks)
    await importInto(target)
    expect(await countClicks(target)).toEqual([{ clicks, visitors: clicks }])
    expect(await readdir(join(dir, 'kept'))).toHaveLength(4)
    expect(await importInto(target)).toBe(0)
  })

  test('of a main installation gets the clicks of an edge that has not kept a segment yet', async ({
    createJournal,
  }) => {
    const { source, dir, append, backUp, restore } = await createJournal()
    let main = createReceivedClicks({ db: source, clock: systemClock, retentionDays: 365 })
    let now = new Date()
    const { drain } = openHandOver(
      dir,
      () => main,
      () => now,
    )
    await backUp()
    await append()
    await drain()
    expect(await countClicks(source)).toMatchObject([{ clicks: CLICKS_PER_SEGMENT }])

    const target = await restore()
    main = createReceivedClicks({ db: target, clock: systemClock, retentionDays: 365 })
    now = new Date(now.getTime() + 60_000)
    await drain()
    expect(await countClicks(target)).toMatchObject([{ clicks: CLICKS_PER_SEGMENT }])
  })

  test('of a main installation gets the clicks of edges from their kept segments exactly once', async ({
    createJournal,
  }) => {
    const { source, dir, append, backUp, restore } = await createJournal()
    let main = createReceivedClicks({ db: source, clock: systemClock, retentionDays: 365 })
    let now = new Date()
    const { drain } = openHandOver(
      dir,
      () => main,
      () => now,
    )
    await append()
    await append()
    await drain()
    await backUp()
    for (let round = 0; round < 3; round += 1) await append()
    await drain()
    expect(listSegments(dir)).toHaveLength(1)

    const target = await restore()
    main = createReceivedClicks({ db: target, clock: systemClock, retentionDays: 365 })
    now = new Date(now.getTime() + 60_000)
    await drain()
    const clicks = 5 * CLICKS_PER_SEGMENT
    expect(await countClicks(target)).toEqual([{ clicks, visitors: clicks }])
    expect(await readdir(join(dir, 'kept'))).toHaveLength(4)

    now = new Date(now.getTime() + keep.hours * 3_600_000)
    await drain()
    expect(await readdir(join(dir, 'kept'))).toEqual([])
    await rm(dir, { recursive: true, force: true })
  })
})
