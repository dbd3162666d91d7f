import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from 'vitest'
import { childEnvironment } from '../../src/config.ts'
import { appendAll, click, openTestJournal } from '../support/click-journal.ts'
import { type TestDatabase, testDatabase } from '../support/database.ts'

let database: TestDatabase
let link: number
beforeAll(async () => {
  database = await testDatabase()
  const { rows } = await database.pool.query<{ id: number }>(
    `with owner as (
       insert into accounts (email, username, password_hash) values ('a@b.c', 'a', '') returning id
     )
     insert into links (account_id, alias, url)
     select id, 'alias', 'https://example.com/' from owner returning id`,
  )
  link = rows[0]?.id ?? 0
})
afterAll(() => database.close())

test('the importer process imports what comes, and on SIGTERM what is left', async () => {
  const { child, journal } = await start()
  await appendAll(journal, [click(link, 1)])
  await reached(1)
  await appendAll(journal, [click(link, 2), click(link, 3)])
  child.kill('SIGTERM')
  expect(await once(child, 'exit')).toEqual([0, null])
  await reached(3)
})

test('the importer process ends when the process that started it is gone', async () => {
  const { child } = await start()
  child.disconnect()
  expect(await once(child, 'exit')).toEqual([0, null])
})

async function start(): Promise<{
  child: ChildProcess
  journal: ReturnType<typeof openTestJournal>
}> {
  const dir = mkdtempSync(join(tmpdir(), 'brevis-data-'))
  const journal = openTestJournal(join(dir, 'journal'))
  const child = fork(new URL('../../src/importer.ts', import.meta.url), {
    env: childEnvironment({
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
  await claimed()
  return { child, journal }
}

/** The importer of a folder holds an advisory lock. */
async function claimed(): Promise<void> {
  for (;;) {
    const { rows } = await database.pool.query(
      `select from pg_locks l join pg_stat_activity a using (pid)
       where l.locktype = 'advisory' and a.datname = current_database()`,
    )
    if (rows.length > 0) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

async function reached(count: number): Promise<void> {
  for (;;) {
    const { rows } = await database.pool.query<{ clicks: number }>(
      'select clicks from click_totals where link_id = $1',
      [link],
    )
    if (rows[0]?.clicks === count) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
