import { sql } from 'kysely'
import { idArray } from '../../db/arrays.ts'
import type { Db } from '../../db/pool.ts'
import { runPrepared } from '../../db/prepared.ts'

/**
 * Returns a link's number of unique visitors and its packed labels. For a link without clicks, they
 * are 0 and undefined.
 */
export async function findDetails(
  db: Db,
  linkId: number,
): Promise<{ visitors: number; labels?: Uint8Array }> {
  const query = db
    .selectFrom('click_details')
    .select(['visitors', 'labels'])
    .where('link_id', '=', linkId)
    .compile()
  const [row] = await runPrepared(db, query)
  return row ?? { visitors: 0 }
}

/** Returns the packed labels of links. Omits links without clicks. */
export function findLabelsOfLinks(
  db: Db,
  linkIds: readonly number[],
): Promise<{ link_id: number; labels: Uint8Array }[]> {
  const query = db
    .selectFrom('click_details')
    .select(['link_id', 'labels'])
    .where('link_id', '=', sql<number>`any(${idArray(linkIds)}::bigint[])`)
    .compile()
  return runPrepared(db, query)
}

/** Returns the names of labels by number. */
export async function findLabelNames(
  db: Db,
  labels: ReadonlySet<number>,
): Promise<ReadonlyMap<number, string>> {
  if (labels.size === 0) return new Map()
  const query = db
    .selectFrom('labels')
    .select(['id', 'name'])
    .where('id', '=', sql<number>`any(${[...labels]}::integer[])`)
    .compile()
  const rows = await runPrepared(db, query)
  return new Map(rows.map(({ id, name }) => [id, name]))
}
