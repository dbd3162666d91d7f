import { randomBytes } from 'node:crypto'
import { describe, expect, onTestFinished, test } from 'vitest'
import { migrate } from '../../src/db/migrate.ts'
import { rejectForeignSchema } from '../../src/db/pending-migrations.ts'
import { runCommand } from '../support/command.ts'
import { emptyDatabase } from '../support/empty-database.ts'
import { queryRows } from '../support/filled-database.ts'
import { run } from '../support/postgres.ts'

describe.each(['LATIN1', 'SQL_ASCII', 'WIN1252'])('a database with the encoding %s', (encoding) => {
  test('is rejected with one line that names UTF-8, before anything is created', async () => {
    const url = await emptyDatabase(`encoding '${encoding}' locale 'C' locale_provider libc`)
    const message = new RegExp(
      `^The database "\\w+" has the encoding ${encoding}, but Brevis requires UTF-8\\. Create another one: create database … template template0 encoding 'UTF8'$`,
    )
    await expect(migrate(url)).rejects.toThrow(message)
    await expect(rejectForeignSchema(url)).rejects.toThrow(message)
    expect(await queryRows(url, `select to_regclass('migrations') as found`)).toEqual([
      { found: null },
    ])
    const { code, stderr } = await runCommand(['account', 'list'], { env: { DATABASE_URL: url } })
    expect({ code, lines: stderr.split('\n').length }).toEqual({ code: 1, lines: 2 })
    expect(stderr).toContain('Brevis requires UTF-8')
  })
})

describe('a database user', () => {
  test('who may not create tables is told so, with the remedy', async () => {
    const { url, role } = await databaseAsRole([])
    await expect(migrate(url)).rejects.toThrow(
      new RegExp(
        `^The database user "${role}" may not create tables in public\\. Make it the owner: alter database "\\w+" owner to "${role}"$`,
      ),
    )
  })

  test('who owns the database migrates it', async () => {
    const { url, role, admin } = await databaseAsRole([])
    const name = new URL(url).pathname.slice(1)
    await run(admin, [`alter database ${name} owner to ${role}`])
    expect((await migrate(url)).length).toBeGreaterThan(0)
    await rejectForeignSchema(url)
  })

  test('who may not write tables of another owner is told so, with the remedy', async () => {
    const { url, role, admin } = await databaseAsRole([])
    await migrate(admin)
    const owner = decodeURIComponent(new URL(admin).username)
    const remedy = `Give it the rights of their owner: grant "${owner}" to "${role}"`
    await expect(rejectForeignSchema(url)).rejects.toThrow(
      new RegExp(
        `^The database user "${role}" may not read and write the tables account_days, .* and \\d+ more\\. ${remedy}$`,
      ),
    )
    await run(admin, [
      `grant all on all tables in schema public to ${role}`,
      `grant usage on schema brevis_jobs to ${role}`,
    ])
    await expect(rejectForeignSchema(url)).rejects.toThrow(
      `The database user "${role}" may not add partitions to the table clicks. ${remedy}`,
    )
    await run(admin, [`grant ${owner} to ${role}`])
    await rejectForeignSchema(url)
  })
})

test('a read-only database is not migrated', async () => {
  const url = await emptyDatabase()
  const readOnly = new URL(url)
  readOnly.searchParams.set('options', '-c timezone=UTC -c default_transaction_read_only=on')
  await expect(migrate(readOnly.href)).rejects.toThrow(
    /^The database "\w+" is read-only, so it cannot be migrated\.$/,
  )
})

test('a session in another time zone is rejected, because a pooler ignored the option', async () => {
  const url = new URL(await emptyDatabase())
  url.searchParams.set('options', '-c timezone=Europe/Istanbul')
  await expect(migrate(url.href)).rejects.toThrow(
    /^Sessions of the database have the time zone Europe\/Istanbul, .* alter role "\w+" set timezone = 'UTC'$/,
  )
})

/** Returns an empty database's URL for a new role, and for its administrator. */
async function databaseAsRole(statements: readonly string[]) {
  const admin = await emptyDatabase()
  const role = `brevis_role_${randomBytes(6).toString('hex')}`
  await run(admin, [`create role ${role} login password 'secret'`, ...statements])
  onTestFinished(async () => {
    await run(admin, [`drop owned by ${role} cascade`, `drop role ${role}`]).catch(() => {})
  })
  const url = new URL(admin)
  url.username = role
  url.password = 'secret'
  return { url: url.href, role, admin }
}
