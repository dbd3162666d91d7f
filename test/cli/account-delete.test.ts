import { once } from 'node:events'
import { describe, expect, vi } from 'vitest'
import { claimDeletion } from '../../src/account-deletion/account-deletion.queries.ts'
import {
  deleteOwnAccount,
  finishDeletion,
  finishDeletions,
} from '../../src/account-deletion/account-deletion.ts'
import { createHousekeeping } from '../../src/clicks/maintenance/housekeeping.ts'
import { checkStatistics } from '../../src/clicks/read.ts'
import { withConnection } from '../../src/db/connection.ts'
import { getAccountByEmailOrUsername } from '../../src/identity/account.service.ts'
import { createSession, findSession } from '../../src/identity/session.service.ts'
import { createPeriodicTasks } from '../../src/importer/click-importer.ts'
import { scopeOf } from '../../src/scope.ts'
import { setSuspended } from '../support/accounts.ts'
import { commandLine, runCommand, startProcess } from '../support/command.ts'
import { isWaitingForLock } from '../support/lock-waits.ts'
import { appTest } from '../support/test.ts'
import { POPULATED_ROWS, populate } from './populated-account.ts'

/** Tables with rows that belong to links and have no account column. */
const LINK_TABLES = [
  'click_totals',
  'click_days',
  'click_details',
  'clicks',
  'link_versions',
  'link_checks',
]

const test = appTest().extend('cli', { scope: 'file' }, ({ app, request }) => {
  const { pool } = app.services.database
  const visit = async (alias: string) => (await request({ url: `/${alias}` })).statusCode

  /** Counts an account's rows in each table with an `account_id`, and in `row_counts`. */
  async function countRows(accountId: number): Promise<Record<string, number>> {
    const { rows } = await pool.query<{ name: string }>(
      `select table_name as name from information_schema.columns
       where table_schema = 'public' and column_name = 'account_id'`,
    )
    const counts: Record<string, number> = {}
    for (const { name } of rows) {
      const found = await pool.query(`select from ${name} where account_id = $1`, [accountId])
      counts[name] = found.rowCount ?? 0
    }
    const counters = await pool.query(
      `select from row_counts where owner_id = $1 and kind in ('links', 'qr_codes', 'bio_pages')`,
      [accountId],
    )
    return { ...counts, row_counts: counters.rowCount ?? 0 }
  }

  /** Counts the rows of links in each of `LINK_TABLES`. */
  async function countLinkRows(linkIds: readonly number[]): Promise<number[]> {
    const counts: number[] = []
    for (const table of LINK_TABLES) {
      const { rowCount } = await pool.query(`select from ${table} where link_id = any($1)`, [
        linkIds,
      ])
      counts.push(rowCount ?? 0)
    }
    return counts
  }

  /** Returns the differences between the statistics and a recount. */
  async function findDifferences(): Promise<unknown[]> {
    return Array.fromAsync(checkStatistics(app.services.database.db))
  }

  return { ...commandLine(app), pool, visit, countRows, countLinkRows, findDifferences }
})

describe('`brevis account delete`', () => {
  test('deletes everything an account owns without touching other accounts', async ({
    app,
    make,
    cli: { brevisJson, countRows, countLinkRows, findDifferences, visit },
  }) => {
    // The first account is the only admin, so it cannot be deleted before the others.
    const [other, { owner, linkIds }] = [await populate(app, make), await populate(app, make)]
    const before = await countRows(other.owner.account.id)
    const clicksBefore = await countLinkRows(other.linkIds)
    expect(await countRows(owner.account.id)).toMatchObject(POPULATED_ROWS)
    const { id, email, username } = owner.account
    const deleted = await brevisJson(['account', 'delete', email, '--yes'])
    expect(deleted).toEqual({ id, email, username, deleted: true })
    expect(new Set(Object.values(await countRows(id)))).toEqual(new Set([0]))
    expect(await countLinkRows(linkIds)).toEqual([0, 0, 0, 0, 0, 0])
    await expect(getAccountByEmailOrUsername(app.services.db, email)).rejects.toMatchObject({
      code: 'not_found',
    })
    expect(await countRows(other.owner.account.id)).toEqual(before)
    expect(await countLinkRows(other.linkIds)).toEqual(clicksBefore)
    expect(clicksBefore.every((rows) => rows > 0)).toBe(true)
    expect(await findDifferences()).toEqual([])
    const { alias } = await make.link(other.owner)
    expect(await visit(alias)).toBe(302)
  })

  test('without --yes, only shows what it would delete', async ({
    make,
    cli: { settings, countRows },
  }) => {
    const { account } = await make.owner()
    const outcome = await runCommand(['account', 'delete', account.email], { env: settings() })
    expect(outcome).toEqual({
      code: 1,
      stdout: '',
      stderr: `brevis: this permanently deletes ${account.username} (${account.email}), its links and their statistics: add --yes to confirm\n`,
    })
    expect(await countRows(account.id)).toMatchObject({ api_keys: 1 })
  })

  test('reports an unknown account', async ({ cli: { settings } }) => {
    const args = ['account', 'delete', 'unknown@example.com', '--yes']
    const { code, stderr } = await runCommand(args, { env: settings() })
    expect(code).toBe(1)
    expect(stderr).toBe('brevis: There is no account with the email unknown@example.com.\n')
  })

  test('completes a deletion that was killed', async ({
    app,
    make,
    cli: { settings, brevisJson, countRows, pool },
  }) => {
    const owner = await make.owner()
    const { account } = owner
    await pool.query(
      `insert into links (account_id, alias, url)
       select $1, 'kill-' || n, 'https://example.com/' from generate_series(1, 1200) n`,
      [account.id],
    )
    const { id: last } = await make.link(owner)
    const args = ['account', 'delete', account.email, '--yes']
    // Links are deleted in batches. The lock on the last link stops the last batch.
    await withConnection({ url: app.databaseUrl, name: 'holder' }, async ({ db }) => {
      await db.transaction().execute(async (tx) => {
        await tx.selectFrom('links').select('id').where('id', '=', last).forUpdate().execute()
        const child = startProcess(args, settings())
        const exited = once(child, 'exit')
        const hasStarted = async () => ((await countRows(account.id)).links ?? 0) < 1201
        await vi.waitUntil(async () => (await hasStarted()) && (await isWaitingForLock(pool)), {
          timeout: 60_000,
        })
        child.kill('SIGKILL')
        await exited
      })
    })
    const { links = 0, api_keys } = await countRows(account.id)
    expect([links > 0, links < 1201, api_keys]).toEqual([true, true, 0])
    await expect(setSuspended(app.services, account.id, false)).rejects.toMatchObject({
      code: 'not_found',
      message: `The account ${account.email} is being deleted.`,
    })
    expect(await brevisJson(args)).toMatchObject({ id: account.id, deleted: true })
    expect(new Set(Object.values(await countRows(account.id)))).toEqual(new Set([0]))
  })
})

describe('an account marked for deletion', () => {
  test('is left to the process that is deleting it, whose links nobody else locks', async ({
    app,
    make,
    cli: { countRows },
  }) => {
    const owner = await make.owner()
    const { id } = owner.account
    await make.link(owner)
    const { db } = app.services.database
    await deleteOwnAccount(scopeOf(app.services, id))
    const remaining: number[] = []
    const other = await db.startTransaction().execute()
    expect(await claimDeletion({ db: other, accountId: id })).toBe(true)
    expect(await finishDeletions(db, new AbortController().signal)).toBe(0)
    expect((await countRows(id)).links).toBe(1)
    const finished = finishDeletion(
      { db, accountId: id },
      { onProgress: (links) => remaining.push(links) },
    )
    await vi.waitUntil(() => remaining.length > 0)
    await other.rollback().execute()
    expect(await finished).toBe(true)
    expect(remaining[0]).toBe(1)
    expect(new Set(Object.values(await countRows(id)))).toEqual(new Set([0]))
  })

  test('has no keys and sessions, and its visitors get 410', async ({
    app,
    make,
    request,
    cli: { visit },
  }) => {
    const owner = await make.owner()
    const { alias } = await make.link(owner)
    const token = await createSession(scopeOf(app.services, owner.account.id))
    expect(await visit(alias)).toBe(302)
    await deleteOwnAccount(scopeOf(app.services, owner.account.id))
    await vi.waitUntil(async () => (await visit(alias)) === 410, { timeout: 60_000 })
    const reply = await request({ url: '/api/account', headers: owner.headers })
    expect(reply.statusCode).toBe(401)
    expect(await findSession(app.services, app.services.db, token)).toBeUndefined()
    expect(await finishDeletion({ db: app.services.db, accountId: owner.account.id })).toBe(true)
    await vi.waitUntil(async () => (await visit(alias)) === 404, { timeout: 60_000 })
    const again = deleteOwnAccount(scopeOf(app.services, owner.account.id))
    await expect(again).rejects.toMatchObject({ code: 'not_found' })
  })

  test('is deleted completely by the importer, including the last clicks', async ({
    app,
    make,
    cli: { visit, countLinkRows, countRows, findDifferences },
  }) => {
    const owner = await make.owner()
    const { id, alias } = await make.link(owner)
    await visit(alias)
    await app.importClicks()
    expect(await visit(alias)).toBe(302)
    await deleteOwnAccount(scopeOf(app.services, owner.account.id))
    const log: string[] = []
    const append = (_: object, text: string) => log.push(text)
    const { db } = app.services.database
    const housekeeping = createHousekeeping({
      db,
      clock: app.clock,
      log: { info: append, warn: append },
      retentionDays: 365,
      tasks: createPeriodicTasks(db, { info: append }),
    })
    housekeeping.start(new AbortController().signal)
    await housekeeping.end()
    expect(log).toContain('accounts were deleted')
    // The second click is still in the journal.
    await app.importClicks()
    expect(await countLinkRows([id])).toEqual([0, 0, 0, 0, 0, 0])
    expect(new Set(Object.values(await countRows(owner.account.id)))).toEqual(new Set([0]))
    expect(await findDifferences()).toEqual([])
  })

  test('is deleted together with rows created concurrently', async ({
    app,
    make,
    cli: { countRows },
  }) => {
    const { account } = await make.owner()

    await withConnection({ url: app.databaseUrl, name: 'creator' }, async ({ db }) => {
      let deletion: Promise<boolean> | undefined
      await db.transaction().execute(async (tx) => {
        const values = { account_id: account.id, alias: 'meanwhile', url: 'https://example.com/' }
        await tx.insertInto('links').values(values).execute()
        deletion = deleteOwnAccount(scopeOf(app.services, account.id)).then(() =>
          finishDeletion({ db: app.services.db, accountId: account.id }),
        )
        const { pool } = app.services.database
        const waiting = `select from pg_locks where not granted and locktype = 'transactionid'`
        await vi.waitUntil(async () => ((await pool.query(waiting)).rowCount ?? 0) > 0, {
          timeout: 60_000,
        })
      })
      expect(await deletion).toBe(true)
    })
    expect(new Set(Object.values(await countRows(account.id)))).toEqual(new Set([0]))
  })
})
