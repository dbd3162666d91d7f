import type pg from 'pg'
import { JOURNAL_LOCK } from '../../db/lock.ts'

/** How far one segment of the journal is brought in by a batch. */
export type Move = { file: string; from: number; to: number }

/** The positions in the database are not those that the batch was read from: someone else moved. */
export class PositionMoved extends Error {}

/** Claims the journal folder for as long as the connection lives; false if another has it. */
export async function claimFolder(client: pg.ClientBase, folder: string): Promise<boolean> {
  const { rows } = await client.query<{ claimed: boolean }>(
    'select pg_try_advisory_lock($1, $2) as claimed',
    [JOURNAL_LOCK, lockKey(folder)],
  )
  return rows[0]?.claimed === true
}

export async function releaseFolder(client: pg.ClientBase, folder: string): Promise<void> {
  await client.query('select pg_advisory_unlock($1, $2)', [JOURNAL_LOCK, lockKey(folder)])
}

/** How far each segment of a folder has been imported, by the segment's file name. */
export async function loadPositions(
  client: pg.ClientBase,
  folder: string,
): Promise<Map<string, number>> {
  const { rows } = await client.query<{ file: string; position: number }>(
    `select substr(segment, length($1) + 1) as file, position
     from journal_positions where starts_with(segment, $1)`,
    [`${folder}/`],
  )
  return new Map(rows.map(({ file, position }) => [file, position]))
}

/**
 * Moves the positions if they are where the batch began, so that no click is ever counted by two
 * transactions.
 *
 * @throws PositionMoved if they are not.
 */
export async function movePositions(
  client: pg.ClientBase,
  folder: string,
  moves: readonly Move[],
): Promise<void> {
  const segment = ({ file }: Move) => `${folder}/${file}`
  await client.query(
    `insert into journal_positions (segment, position) select unnest($1::text[]), 0
     on conflict (segment) do nothing`,
    [moves.filter(({ from }) => from === 0).map(segment)],
  )
  const { rowCount } = await client.query(
    `update journal_positions p set position = n.target, updated_at = now()
     from unnest($1::text[], $2::bigint[], $3::bigint[]) n (segment, start, target)
     where p.segment = n.segment and p.position = n.start`,
    [moves.map(segment), moves.map(({ from }) => from), moves.map(({ to }) => to)],
  )
  if (rowCount !== moves.length) throw new PositionMoved('another importer moved the positions')
}

/** Forgets segments whose files are gone. */
export async function deletePositions(
  client: pg.ClientBase,
  folder: string,
  files: readonly string[],
): Promise<void> {
  if (files.length === 0) return
  await client.query('delete from journal_positions where segment = any($1::text[])', [
    files.map((file) => `${folder}/${file}`),
  ])
}

/** The second half of the lock's key: the first 31 bits of the folder's hexadecimal id. */
function lockKey(folder: string): number {
  return Number.parseInt(folder.slice(0, 8), 16) >>> 1
}
