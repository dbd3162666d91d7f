import { cp, mkdtemp, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, inject, onTestFinished, vi } from 'vitest'
import { emptyDatabase } from '../support/empty-database.ts'
import { connect, queryRows } from '../support/filled-database.ts'
import { freePort } from '../support/free-port.ts'
import { launch, type Service } from '../support/service.ts'
import { folderTest } from '../support/test.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const NEWER_DATABASE =
  /^brevis: The database is newer than this program: it has migration 9999-later\.\n$/

/** A `test` with `later`, a checkout with an additional migration, which tests can block. */
const test = folderTest().extend('later', { scope: 'file' }, async ({ folder }) => {
  for (const name of ['src', 'locales', 'migrations', 'package.json']) {
    await cp(join(ROOT, name), join(folder, name), { recursive: true })
  }
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  await writeFile(
    join(folder, 'migrations', '9999-later.sql'),
    `create table of_later (id int);
     select pg_advisory_xact_lock(1, 1);`,
  )
  return folder
})

test("an older version that starts during a newer version's migration waits and then fails", async ({
  later,
}) => {
  const url = await emptyDatabase()
  const { newer, older } = await withBlockedMigration(url, async () => {
    const newer = await startVersion(later, later, url)
    await vi.waitUntil(async () => (await countBlockedSessions(url)) === 1, { timeout: 60_000 })
    const older = await startVersion(later, ROOT, url)
    await vi.waitUntil(async () => (await countBlockedSessions(url)) === 2, { timeout: 60_000 })
    // The uncommitted migration is invisible, and neither version serves requests.
    expect(await queryRows(url, `select to_regclass('of_later') as found`)).toEqual([
      { found: null },
    ])
    for (const { origin } of [newer, older]) {
      await expect(fetch(`${origin}/health/live`)).rejects.toThrow()
    }
    return { newer, older }
  })
  expect(await older.waitForExit()).toBe(1)
  expect(older.stderr()).toMatch(NEWER_DATABASE)
  await newer.waitUntilReady()
  expect(newer.stderr()).toBe('')

  const withoutMigration = await startVersion(later, ROOT, url, { MIGRATE_ON_START: 'false' })
  expect(await withoutMigration.waitForExit()).toBe(1)
  expect(withoutMigration.stderr()).toMatch(NEWER_DATABASE)
})

test('a newer version killed during its migration leaves a working older schema', async ({
  later,
}) => {
  const url = await emptyDatabase()
  await withBlockedMigration(url, async () => {
    const newer = await startVersion(later, later, url)
    await vi.waitUntil(async () => (await countBlockedSessions(url)) === 1, { timeout: 60_000 })
    await newer.end()
  })
  const older = await startVersion(later, ROOT, url)
  await older.waitUntilReady()
})

async function startVersion(
  later: string,
  cwd: string,
  url: string,
  more: Record<string, string> = {},
): Promise<Service> {
  const dataDir = await mkdtemp(join(later, 'data-'))
  const PORT = String(await freePort())
  const env = { ...inject('compileCache'), DATABASE_URL: url, DATA_DIR: dataDir, PORT, ...more }
  const service = await launch({
    cwd,
    command: [process.execPath, join(cwd, 'src', 'main.ts')],
    env,
  })
  onTestFinished(service.end)
  return service
}

/** Runs `work` while the later migration is blocked. */
async function withBlockedMigration<T>(url: string, work: () => Promise<T>): Promise<T> {
  const client = await connect(url)
  await client.query('select pg_advisory_lock(1, 1)')
  try {
    return await work()
  } finally {
    await client.end()
  }
}

/** Returns the number of connections that wait for an advisory lock. */
async function countBlockedSessions(url: string): Promise<number> {
  const sql = `select from pg_locks where locktype = 'advisory' and not granted
    and database = (select oid from pg_database where datname = current_database())`
  return (await queryRows(url, sql)).length
}
