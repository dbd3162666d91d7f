import type { Insertable } from 'kysely'
import { listOwned } from '../db/owned.queries.ts'
import type { Page, PageQuery } from '../db/pagination.ts'
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
  const columns = ['id', 'name', 'created_at'] as const
  const { entries, total } = await listOwned(db, 'splash_pages', columns, accountId, page)
  return {
    entries: entries.map(({ created_at: createdAt, ...entry }) => ({ ...entry, createdAt })),
    total,
  }
}
