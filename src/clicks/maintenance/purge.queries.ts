import { sql } from 'kysely'
import type { Db } from '../../db/pool.ts'

const CHUNK = 20_000

/** The links of which `removeClicks` has left something over. */
export async function listRemoved(db: Db): Promise<number[]> {
  const rows = await db.selectFrom('removed_links').select('link_id').execute()
  return rows.map(({ link_id }) => link_id)
}

/** Takes a removed link from the list, of which nothing is left any more. */
export async function deleteRemoved(db: Db, linkId: number): Promise<void> {
  await db.deleteFrom('removed_links').where('link_id', '=', linkId).execute()
}

/**
 * Deletes some of a link's rows and gives their number. By place in the table, as raw clicks have no
 * key; a partition at a time, where places are unique. The link is named twice, because in a table
 * that is spread over machines each part has these places.
 */
export async function deleteChunk(db: Db, table: string, linkId: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from ${sql.table(table)} where link_id = ${linkId} and ctid = any(array(
      select ctid from ${sql.table(table)} where link_id = ${linkId}
      limit ${sql.lit(CHUNK)} for update skip locked))`.execute(db)
  return Number(numAffectedRows)
}
