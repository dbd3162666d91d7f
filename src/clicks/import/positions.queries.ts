import { sql } from 'kysely'
import { JOURNAL_LOCK } from '../../db/lock.ts'
import type { Db } from '../../db/pool.ts'
import type { Tx } from '../../db/transaction.ts'

/** The advance of a segment's position by a batch, in bytes. */
export type Move = { file: string; from: number; to: number }

/**
 * Thrown if the stored positions differ from those at which the batch starts, because another
 * importer has advanced them.
 */
export class PositionMovedError extends Error {}

/**
 * Claims the journal folder until the connection ends. Returns whether this succeeded: false if
 * another importer has claimed it.
 */
export async function claimFolder(db: Db, folder: string): Promise<boolean> {
  const lock = sql`${JOURNAL_LOCK}::int, ${lockKey(folder)}::int`
  const query = sql<{ claimed: boolean }>`select pg_try_advisory_lock(${lock}) as claimed`
  const { rows } = await query.execute(db)
  return rows[0]?.claimed === true
}

/** Returns whether an importer has claimed the folder. */
export async function isFolderClaimed(db: Db, folder: string): Promise<boolean> {
  const { rows } = await sql<{ claimed: boolean }>`
    select exists (select from pg_locks
      where locktype = 'advisory' and granted and classid = ${JOURNAL_LOCK}::int::oid
        and objid = ${lockKey(folder)}::int::oid and objsubid = 2
        and database = (select oid from pg_database where datname = current_database())
    ) as claimed`.execute(db)
  return rows[0]?.claimed === true
}

/** Releases the folder. This must run on the connection that claimed it. */
export async function releaseFolder(db: Db, folder: string): Promise<void> {
  await sql`select pg_advisory_unlock(${JOURNAL_LOCK}::int, ${lockKey(folder)}::int)`.execute(db)
}

/** Returns the imported position of each segment in a folder, by file name. */
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
 * Advances positions if they still equal the start of the batch, so that no click is counted twice.
 *
 * @throws PositionMovedError if they differ
 */
export async function movePositions(tx: Tx, folder: string, moves: readonly Move[]): Promise<void> {
  const segment = ({ file }: Move) => `${folder}/${file}`
  const newSegments = moves.filter(({ from }) => from === 0).map(segment)
  await tx
    .insertInto('journal_positions')
    .columns(['segment', 'position'])
    .expression(sql`select unnest(${newSegments}::text[]), 0`)
    .onConflict((conflict) => conflict.column('segment').doNothing())
    .execute()
  const requested = sql<{ segment: string; start: number; target: number }>`
    unnest(${moves.map(segment)}::text[], ${moves.map(({ from }) => from)}::bigint[],
      ${moves.map(({ to }) => to)}::bigint[])`
  const { numUpdatedRows } = await tx
    .updateTable('journal_positions')
    .from(requested.as<'n'>(sql`n (segment, start, target)`))
    .set(({ ref }) => ({ position: ref('n.target'), updated_at: sql<Date>`now()` }))
    .whereRef('journal_positions.segment', '=', 'n.segment')
    .whereRef('journal_positions.position', '=', 'n.start')
    .executeTakeFirstOrThrow()
  if (Number(numUpdatedRows) !== moves.length) {
    throw new PositionMovedError('another importer moved the positions')
  }
}

/** Deletes the positions of segments whose files no longer exist. */
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

/**
 * Returns the second half of the advisory lock key: the first 31 bits of the folder's hexadecimal
 * id.
 */
function lockKey(folder: string): number {
  return Number.parseInt(folder.slice(0, 8), 16) >>> 1
}
