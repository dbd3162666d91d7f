import type { Insertable, Selectable } from 'kysely'
import { listOwned } from '../db/owned.queries.ts'
import type { Page, PageQuery } from '../db/pagination.ts'
import type { Db } from '../db/pool.ts'
import type { SplashPageTable } from '../db/schema/pages.ts'
import type { SplashEntry, SplashPage } from './splash.ts'

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

export function toSplash(row: Selectable<SplashPageTable>): SplashPage {
  const { id, name, title, message, image, link, seconds, created_at: createdAt } = row
  return { id, name, title, message, image, link, seconds, createdAt }
}
