import { sql } from 'kysely'
import { own } from '../db/account-rows.ts'
import { IMPORT_LOCK } from '../db/lock.ts'
import type { Db } from '../db/pool.ts'
import { inTransaction } from '../db/transaction.ts'
import type { AccountScope } from '../scope.ts'
import type { ImportState } from './progress.queries.ts'
import { SOURCES, type Source } from './record.ts'

/** Seconds without a heartbeat after which another process takes over. */
const LEASE_SECONDS = 30

export type ClaimedImport = {
  id: number
  account_id: number
  source: Source
  name: string
  options: Record<string, string>
  dry_run: boolean
  page: string | null
  rows: number
  /** The time of the claim, which identifies the run. */
  run_at: Date
}

/**
 * Claims the import that has been waiting longest, or one whose process has died. An account has
 * one running import at a time, and suspended accounts have none. Returns undefined if there is no
 * import to run.
 */
export async function claimImport(
  db: Db,
  sources: readonly Source[] = SOURCES,
): Promise<ClaimedImport | undefined> {
  if (!(await hasOpenImports(db))) return undefined
  return inTransaction(db, async (tx) => {
    await sql`select pg_advisory_xact_lock(${IMPORT_LOCK})`.execute(tx)
    const { rows } = await sql<ClaimedImport>`
      update imports set state = case when dry_run then 'checking' else 'running' end,
        problem = null, updated_at = now(), not_before = null,
        run_at = date_trunc('milliseconds', clock_timestamp()),
        run_rows = case when page is null then 0 else rows end,
        rows = case when page is null then 0 else rows end,
        counts = case when page is null then '{}' else counts end
      where id = (
        select i.id from imports i
        join accounts a on a.id = i.account_id and a.suspended_at is null
        where i.background and i.state in ('waiting', 'checking', 'running')
          and i.source = any (${sources}) and (i.not_before is null or i.not_before <= now())
          and (i.state = 'waiting' or i.updated_at < now() - ${LEASE_SECONDS} * interval '1 second')
          and not exists (
            select from imports o
            where o.account_id = i.account_id and o.id <> i.id and o.background
              and o.state in ('checking', 'running')
              and o.updated_at >= now() - ${LEASE_SECONDS} * interval '1 second')
        order by i.updated_at, i.id limit 1)
      returning id, account_id, source, name, options, dry_run, page, rows, run_at`.execute(tx)
    return rows[0]
  })
}

/**
 * Returns whether any import is waiting or running. This is checked every second and almost always
 * false, so it uses no lock or transaction.
 */
async function hasOpenImports(db: Db): Promise<boolean> {
  const { rows } = await sql`
    select from imports
    where background and state in ('waiting', 'checking', 'running') limit 1`.execute(db)
  return rows.length > 0
}

/**
 * Records a heartbeat and how much of the file has been read. Returns false if the import was
 * canceled, another process has claimed it, or its account is suspended.
 */
export async function heartbeat(
  db: Db,
  { id, run_at }: Pick<ClaimedImport, 'id' | 'run_at'>,
  bytesRead: number,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('imports')
    .set({ bytes_read: bytesRead, updated_at: sql<Date>`now()` })
    .where('id', '=', id)
    .where('run_at', '=', run_at)
    .where('state', 'in', ['checking', 'running'])
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('accounts')
          .select('id')
          .whereRef('accounts.id', '=', 'imports.account_id')
          .where('suspended_at', 'is', null),
      ),
    )
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/**
 * Changes the state of an account's import if its current state is in `from`. Returns whether it
 * was changed.
 */
export async function moveImport(
  db: Db,
  { accountId, id, from }: { accountId: number; id: number; from: readonly ImportState[] },
  to: ImportState,
  dryRun?: boolean,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('imports')
    .set({
      state: to,
      updated_at: sql<Date>`now()`,
      ...(dryRun !== undefined && { dry_run: dryRun }),
    })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .where('background', '=', true)
    .where('state', 'in', from)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/**
 * Changes options of an import that has not started yet, and queues it to be checked again. Returns
 * whether there is such an import.
 */
export async function changeOptions(
  scope: AccountScope,
  id: number,
  options: Readonly<Record<string, string>>,
): Promise<boolean> {
  const { numUpdatedRows } = await own(scope)
    .updateTable('imports')
    .set({
      options: sql`options || ${JSON.stringify(options)}::jsonb`,
      state: 'waiting',
      unused: [],
      updated_at: sql<Date>`now()`,
    })
    .where('id', '=', id)
    .where('background', '=', true)
    .where('dry_run', '=', true)
    .where('state', 'in', ['waiting', 'checking', 'checked', 'failed'])
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/** Releases an import, so that any process can resume it after `pauseSeconds`. */
export async function releaseImport(
  db: Db,
  { id, run_at }: Pick<ClaimedImport, 'id' | 'run_at'>,
  pauseSeconds: number,
): Promise<void> {
  await db
    .updateTable('imports')
    .set({
      state: 'waiting',
      updated_at: sql<Date>`now()`,
      not_before: sql<Date>`now() + ${pauseSeconds} * interval '1 second'`,
    })
    .where('id', '=', id)
    .where('run_at', '=', run_at)
    .where('state', 'in', ['checking', 'running'])
    .execute()
}
