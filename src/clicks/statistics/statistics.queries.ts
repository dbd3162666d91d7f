import { sql } from 'kysely'
import type { Db } from '../../db/pool.ts'
import { runPrepared } from '../../db/prepared.ts'

/** What is stored of a link's clicks, added up; undefined for a link without any. */
export async function findSums(db: Db, linkId: number) {
  const query = db
    .selectFrom('click_totals')
    .leftJoin('click_details', 'click_details.link_id', 'click_totals.link_id')
    .select(['clicks', 'visitors', 'last_click_at', 'labels'])
    .where('click_totals.link_id', '=', linkId)
    .compile()
  const [row] = await runPrepared(db, query)
  return row
}

/** The names of labels, by their numbers. */
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
