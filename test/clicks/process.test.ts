import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, inject, onTestFinished } from 'vitest'
import { createChildEnvironment } from '../../src/config.ts'
import { appendAll, createClick, openTestJournal } from '../support/click-journal.ts'
import type { TestDatabase } from '../support/database.ts'
import { databaseTest } from '../support/test.ts'

const test = databaseTest()
  .extend('link', { scope: 'file' }, async ({ database }) => {
    const { rows } = await database.pool.query<{ id: number }>(
      `with owner as (
       insert into accounts (email, username) values ('a@b.c', 'a') returning id
     )
     insert into links (account_id, alias, url)
     select id, 'alias', 'https://example.com/' from owner returning id`,
    )
    return rows[0]?.id ?? 0
  })
  .extend(
    'waitForClicks',
    { scope: 'file' },
    ({ database, link }) =>
      async (count: number): Promise<void> => {
        for (;;) {
          const { rows } = await database.pool.query<{ clicks: number }>(
            'select clicks from click_totals where link_id = $1',
            [link],
          )
          if (rows[0]?.clicks === count) return
          await new Promise((resolve) => setTimeout(resolve, 20))
        }
      },
  )

test('the importer process imports clicks continuously, and the rest before it ends on SIGTERM', async ({
  database,
  link,
  waitForClicks,
}) => {
  const { child, journal } = await startImporter(database)
  await appendAll(journal, [createClick(link, 1)])
  await waitForClicks(1)
  await appendAll(journal, [createClick(link, 2), createClick(link, 3)])
  child.kill('SIGTERM')
  expect(await once(child, 'exit')).toEqual([0, null])
  await waitForClicks(3)
})

test('the importer process ends when its parent ends', async ({ database }) => {
  const { child } = await startImporter(database)
  child.disconnect()
  expect(await once(child, 'exit')).toEqual([0, null])
})

async function startImporter(database: TestDatabase): Promise<{
  child: ChildProcess
  journal: ReturnType<typeof openTestJournal>
}> {
  const dir = mkdtempSync(join(tmpdir(), 'brevis-data-'))
  const journal = openTestJournal(join(dir, 'journal'))
  const child = fork(new URL('../../src/importer.ts', import.meta.url), {
    env: createChildEnvironment({
      DATABASE_URL: database.url,
      DATA_DIR: dir,
      LOG_LEVEL: 'warn',
      BASE_URL: '',
      ...inject('compileCache'),
    }),
  })
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await journal.close()
    rmSync(dir, { recursive: true, force: true })
  })
  await waitUntilClaimed(database)
  return { child, journal }
}

/** Waits until the importer holds the folder's advisory lock. */
async function waitUntilClaimed(database: TestDatabase): Promise<void> {
  for (;;) {
    const { rows } = await database.pool.query(
      `select from pg_locks l join pg_stat_activity a using (pid)
       where l.locktype = 'advisory' and a.datname = current_database()`,
    )
    if (rows.length > 0) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
