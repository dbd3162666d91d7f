import { sql } from 'kysely'
import { own } from '../../db/account-rows.ts'
import { int8Array } from '../../db/pg-binary.ts'
import type { Db } from '../../db/pool.ts'
import type { AccountScope } from '../../scope.ts'

/**
 * Returns the existing labels with these names, and removes their mark as unused. Omits labels that
 * are deleted concurrently.
 */
export async function findLabels(
  db: Db,
  names: readonly string[],
): Promise<{ id: number; name: string }[]> {
  const rows = await db
    .selectFrom('labels')
    .select(['id', 'name', 'unused_since'])
    .where('name', '=', sql<string>`any(${names}::text[])`)
    .execute()
  const unused = rows.filter((row) => row.unused_since).map(({ id }) => id)
  if (unused.length === 0) return rows
  const existing = await db
    .updateTable('labels')
    .set({ unused_since: null })
    .where('id', '=', sql<number>`any(${unused}::integer[])`)
    .returning('id')
    .execute()
  const existingIds = new Set(existing.map(({ id }) => id))
  return rows.filter((row) => !row.unused_since || existingIds.has(row.id))
}

/**
 * Creates labels for names that have none. `accountIds` has, for each name, the account whose
 * import introduces it, or null.
 */
export async function createLabels(
  db: Db,
  names: readonly string[],
  accountIds: readonly (number | null)[],
): Promise<void> {
  await db
    .insertInto('labels')
    .columns(['name', 'account_id'])
    .expression(sql`select * from unnest(${names}::text[], ${accountIds}::bigint[])`)
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute()
}

/** Returns how many labels an account's imports have introduced. Unused labels do not count. */
export async function countIntroduced(scope: AccountScope): Promise<number> {
  const { count } = await own(scope)
    .selectFrom('labels')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .where('unused_since', 'is', null)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Returns the packed labels of links. Links without labels are omitted. */
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
