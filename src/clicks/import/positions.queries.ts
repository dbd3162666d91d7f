import { sql } from 'kysely'
import { JOURNAL_LOCK } from '../../db/lock.ts'
import type { Db } from '../../db/pool.ts'
import type { Tx } from '../../db/transaction.ts'

/** How far one segment of the journal is brought in by a batch. */
export type Move = { file: string; from: number; to: number }

/** The positions in the database are not those that the batch was read from: someone else moved. */
export class PositionMoved extends Error {}

/** Claims the journal folder for as long as the connection lives; false if another has it. */
export async function claimFolder(db: Db, folder: string): Promise<boolean> {
  const lock = sql`${JOURNAL_LOCK}::int, ${lockKey(folder)}::int`
  const query = sql<{ claimed: boolean }>`select pg_try_advisory_lock(${lock}) as claimed`
  const { rows } = await query.execute(db)
  return rows[0]?.claimed === true
}

/** Whether somebody has claimed the folder. */
export async function isFolderClaimed(db: Db, folder: string): Promise<boolean> {
  const { rows } = await sql<{ claimed: boolean }>`
    select exists (select from pg_locks
      where locktype = 'advisory' and granted and classid = ${JOURNAL_LOCK}::int::oid
        and objid = ${lockKey(folder)}::int::oid and objsubid = 2
        and database = (select oid from pg_database where datname = current_database())
    ) as claimed`.execute(db)
  return rows[0]?.claimed === true
}

/** Lets another importer claim the folder; on the connection that claimed it. */
export async function releaseFolder(db: Db, folder: string): Promise<void> {
  await sql`select pg_advisory_unlock(${JOURNAL_LOCK}::int, ${lockKey(folder)}::int)`.execute(db)
}

/** How far each segment of a folder has been imported, by the segment's file name. */
export async function loadPositions(db: Db, folder: string): Promise<Map<string, number>> {
  const prefix = `${folder}/`
  const rows = await db
    .selectFrom('journal_positions')
    .select(['segment', 'position'])
    .where(({ fn, ref, val }) => fn<boolean>('starts_with', [ref('segment'), val(prefix)]))
    .execute()
  return new Map(rows.map(({ segment, position }) => [segment.slice(prefix.length), position]))
}

/**
 * Moves the positions if they are where the batch began, so that no click is ever counted by two
 * transactions.
 *
 * @throws PositionMoved if they are not.
 */
export async function movePositions(tx: Tx, folder: string, moves: readonly Move[]): Promise<void> {
  const segment = ({ file }: Move) => `${folder}/${file}`
  const begun = moves.filter(({ from }) => from === 0).map(segment)
  await tx
    .insertInto('journal_positions')
    .columns(['segment', 'position'])
    .expression(sql`select unnest(${begun}::text[]), 0`)
    .onConflict((conflict) => conflict.column('segment').doNothing())
    .execute()
  const wanted = sql<{ segment: string; start: number; target: number }>`
    unnest(${moves.map(segment)}::text[], ${moves.map(({ from }) => from)}::bigint[],
      ${moves.map(({ to }) => to)}::bigint[])`
  const { numUpdatedRows } = await tx
    .updateTable('journal_positions')
    .from(wanted.as<'n'>(sql`n (segment, start, target)`))
    .set(({ ref }) => ({ position: ref('n.target'), updated_at: sql<Date>`now()` }))
    .whereRef('journal_positions.segment', '=', 'n.segment')
    .whereRef('journal_positions.position', '=', 'n.start')
    .executeTakeFirstOrThrow()
  if (Number(numUpdatedRows) !== moves.length) {
    throw new PositionMoved('another importer moved the positions')
  }
}

/** Forgets segments whose files are gone. */
export async function deletePositions(
  db: Db,
  folder: string,
  files: readonly string[],
): Promise<void> {
  if (files.length === 0) return
  const segments = files.map((file) => `${folder}/${file}`)
  await db
    .deleteFrom('journal_positions')
    .where('segment', '=', sql<string>`any(${segments}::text[])`)
    .execute()
}

/** The second half of the lock's key: the first 31 bits of the folder's hexadecimal id. */
function lockKey(folder: string): number {
  return Number.parseInt(folder.slice(0, 8), 16) >>> 1
}
