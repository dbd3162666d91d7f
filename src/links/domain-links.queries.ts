import type { Db } from '../db/pool.ts'

/** Returns whether a domain has links, not counting the trash. */
export async function hasLinksOn(db: Db, domainId: number): Promise<boolean> {
  const row = await db
    .selectFrom('links')
    .select('id')
    .where('domain_id', '=', domainId)
    .where('kind', '<>', 'deleted')
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}
