import { sql } from 'kysely'
import type { Db } from '../../db/pool.ts'
import { int8Array } from '../encoding/pg-binary.ts'

/** The labels of these names, without those that have no number yet. */
export function findLabels(
  db: Db,
  names: readonly string[],
): Promise<{ id: number; name: string }[]> {
  return db
    .selectFrom('labels')
    .select(['id', 'name'])
    .where('name', '=', sql<string>`any(${names}::text[])`)
    .execute()
}

/** Numbers names that have no number yet. */
export async function createLabels(db: Db, names: readonly string[]): Promise<void> {
  await db
    .insertInto('labels')
    .columns(['name'])
    .expression(sql`select unnest(${names}::text[])`)
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute()
}

/** The packed labels of links, of those that have any. */
export function findPackedLabels(
  db: Db,
  linkIds: readonly number[],
): Promise<{ link_id: number; labels: Buffer }[]> {
  return db
    .selectFrom('click_details')
    .select(['link_id', 'labels'])
    .where('link_id', '=', sql<number>`any(${int8Array(linkIds)}::bigint[])`)
    .execute()
}
