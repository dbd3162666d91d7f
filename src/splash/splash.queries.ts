import type { Insertable } from 'kysely'
import { type Page, type PageQuery, pageOfIds } from '../db/pagination.ts'
import type { Db } from '../db/pool.ts'
import type { SplashPageTable } from '../db/schema.ts'

export type SplashEntry = { id: number; name: string; createdAt: Date }

export async function insertSplash(db: Db, values: Insertable<SplashPageTable>): Promise<number> {
  const { id } = await db
    .insertInto('splash_pages')
    .values(values)
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

export async function listSplashes(
  db: Db,
  accountId: number,
  page: PageQuery,
): Promise<Page<SplashEntry>> {
  const { ids, total } = await pageOfIds(db, 'splash_pages', accountId, page)
  if (ids.length === 0) return { entries: [], total }
  const entries = await db
    .selectFrom('splash_pages')
    .select(['id', 'name', 'created_at as createdAt'])
    .where('account_id', '=', accountId)
    .where('id', 'in', ids)
    .orderBy('id', 'desc')
    .execute()
  return { entries, total }
}

/** Deletes a splash page of an account; says whether there was one. */
export async function deleteSplash(db: Db, accountId: number, id: number): Promise<boolean> {
  const row = await db
    .deleteFrom('splash_pages')
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}
