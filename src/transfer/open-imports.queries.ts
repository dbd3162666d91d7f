import { sql } from 'kysely'
import type { Tx } from '../db/transaction.ts'

/** After this time without data, an upload counts as interrupted. */
const UPLOAD_TIMEOUT = '10 minutes'

/**
 * Locks the account to start an import. Deletes its interrupted uploads, cancels its failed imports
 * that have a file, and deletes these files.
 */
export async function lockImportSlots(tx: Tx, accountId: number): Promise<void> {
  await sql`select from accounts where id = ${accountId} for no key update`.execute(tx)
  await sql`delete from imports where account_id = ${accountId} and background
    and state = 'uploading' and updated_at < now() - ${UPLOAD_TIMEOUT}::interval`.execute(tx)
  const failed = sql`select i.id from imports i where i.account_id = ${accountId} and i.background
    and i.state = 'failed' and exists (select from import_files f where f.import_id = i.id)`
  const { rows } = await sql<{ id: number }>`
    update imports set state = 'cancelled', updated_at = now() where id in (${failed})
    returning id`.execute(tx)
  const ids = rows.map(({ id }) => id)
  await sql`delete from import_files where import_id = any (${ids}::bigint[])`.execute(tx)
}

/**
 * Returns the number of an account's waiting and running background imports, and the number of
 * those with a file. The latter includes imports that are waiting for confirmation.
 */
export async function countOpenImports(
  tx: Tx,
  accountId: number,
): Promise<{ files: number; all: number }> {
  const { rows } = await sql<{ files: number; all: number }>`
    select (count(*) filter (where i.state <> 'checked'))::int as all,
      (count(*) filter (where i.source in ('csv', 'jsonl', 'list') and (i.state = 'uploading'
        or exists (select from import_files f where f.import_id = i.id))))::int as files
    from imports i where i.account_id = ${accountId} and i.background
      and i.state in ('uploading', 'waiting', 'checking', 'checked', 'running')`.execute(tx)
  return rows[0] ?? { files: 0, all: 0 }
}
