import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, inject, onTestFinished } from 'vitest'
import { EXCLUDED_TABLES } from '../../src/backup/tables.queries.ts'
import { createChildEnvironment } from '../../src/config.ts'
import { getInstallationId } from '../../src/db/installation-id.ts'
import { loadInstance } from '../../src/db/instance.ts'
import { JOB_MIGRATION } from '../../src/db/job-schema.ts'
import { migrate } from '../../src/db/migrate.ts'
import { readBackup, runBackupCommand } from '../support/backups.ts'
import { openPatiently } from '../support/database.ts'
import { emptyDatabase } from '../support/empty-database.ts'
import {
  countContentRows,
  createFilledDatabase,
  queryRows,
  readContent,
} from '../support/filled-database.ts'
import { databaseUrlOf, run } from '../support/postgres.ts'
import { folderTest } from '../support/test.ts'

const guide = await readFile(new URL('../../docs/backup.md', import.meta.url), 'utf8')

const test = folderTest().extend('backedUp', async ({ folder }) => {
  const source = await createFilledDatabase()
  const file = join(folder, 'brevis-2026-11-21.tar.zst')
  await runBackupCommand('backup', source, file)
  return { source, file }
})

describe('npx brevis restore', () => {
  test('works in a database that was started once but has no accounts', async ({
    backedUp: { file },
  }) => {
    const target = await emptyDatabase()
    await migrate(target)
    const database = openPatiently(target)
    const initialInstance = await loadInstance(database.db)
    await database.close()
    await runBackupCommand('restore', target, file)
    const [instance] = await queryRows(target, 'select token from instance')
    expect(instance).toEqual({ token: 'an-instance-token' })
    expect(initialInstance.token).not.toBe('an-instance-token')
  })

  test('needs only the privileges of the database owner', async ({
    folder,
    backedUp: { file },
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
    const target = new URL(databaseUrlOf(admin, name))
    target.username = name
    target.password = 'secret'
    await runBackupCommand('restore', target.href, file)
    const { rows } = await runBackupCommand('backup', target.href, join(folder, 'again'))
    expect(rows).toBe(countContentRows(await readContent(target.href)))
    expect(rows).toBeGreaterThan(0)
  })
})

test.skipIf(!hasPrograms())(
  'zstd, tar and psql restore a backup as described in docs/backup.md',
  async ({ folder, backedUp: { source, file } }) => {
    const [, commands = ''] = /## Read a backup without Brevis.*?```sh\n(.*?)```/s.exec(guide) ?? []
    const target = await emptyDatabase()
    const env = createChildEnvironment({ DATABASE_URL: target })
    execFileSync('sh', ['-ec', commands], { cwd: folder, env, stdio: 'pipe' })
    expect(await readContent(target)).toEqual(await readContent(source))
    expect(await migrate(target)).toEqual([JOB_MIGRATION])
    const [link] = await queryRows(
      target,
      `insert into links (account_id, alias, url) values (1, 'next', 'https://example.com/')
       returning id`,
    )
    const ids = await queryRows(source, 'select max(id) + 1 as id from links')
    expect([link]).toEqual(ids)
    const again = await runBackupCommand('backup', target, `${file}.again`)
    expect(again.rows).toBe(countContentRows(await readContent(target)))
  },
)

test('a backup includes every table that is not excluded for a documented reason', async ({
  backedUp: { source, file },
}) => {
  const isOwn = `n.nspname !~ '^pg_' and n.nspname not in ('information_schema', 'brevis_jobs')
    and not exists (select from pg_depend where objid = c.oid and deptype = 'e')`
  const found = await queryRows(
    source,
    `select relname as name, relpersistence = 'u' as unlogged, nspname = 'public' as own
     from pg_class c join pg_namespace n on n.oid = relnamespace
     where relkind in ('r', 'p', 'f', 'm') and not relispartition and ${isOwn}`,
  )
  const manifest = JSON.parse((await readBackup(file)).get('manifest.json') ?? '')
  const [{ token } = { token: '' }] = await queryRows(source, 'select token from instance')
  expect(manifest.installation).toBe(getInstallationId(String(token)))
  const included: string[] = manifest.tables.map((table: { name: string }) => table.name)
  for (const { name, unlogged, own: isInPublic } of found) {
    const isExcluded = Object.hasOwn(EXCLUDED_TABLES, String(name))
    expect(isInPublic && included.includes(String(name)) !== isExcluded, String(name)).toBe(true)
    // A replica cannot read unlogged tables.
    if (unlogged) expect(isExcluded, `${name} is unlogged`).toBe(true)
  }
  for (const [name, reason] of Object.entries(EXCLUDED_TABLES)) {
    expect(found.map((table) => table.name)).toContain(name)
    expect(guide).toContain(`| \`${name}\` | ${reason} |`)
  }
  // Tables are restored in the order of the manifest, so a table must follow those it refers to.
  const keys = await queryRows(
    source,
    `select conrelid::regclass::text as from, confrelid::regclass::text as to
     from pg_constraint where contype = 'f' and conrelid <> confrelid`,
  )
  expect(keys.length).toBeGreaterThan(20)
  for (const { from, to } of keys) {
    if (!included.includes(String(from))) continue
    const [before, after] = [String(to), String(from)].map((name) => included.indexOf(name))
    expect(before, `${from} refers to ${to}`).toBeLessThan(Number(after))
    expect(before).not.toBe(-1)
  }
  // Only sequences of identity columns are restored.
  const sequences = await queryRows(
    source,
    `select relname as name from pg_class c join pg_namespace n on n.oid = relnamespace
     where relkind = 'S' and ${isOwn}
       and not exists (select from pg_depend where objid = c.oid and deptype = 'i')`,
  )
  expect(sequences).toEqual([])
})

/** Returns whether the programs of docs/backup.md are installed. Prints a line if not. */
function hasPrograms(): boolean {
  try {
    for (const program of ['zstd', 'tar', 'psql']) execFileSync(program, ['--version'])
    return true
  } catch {
    process.stderr.write(
      'The test that reads a backup without Brevis is skipped: it needs zstd, tar and psql; on Debian: ' +
        'apt-get install zstd postgresql-client\n',
    )
    return false
  }
}
