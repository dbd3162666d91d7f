import type { Insertable, Selectable } from 'kysely'
import { type Page, type PageQuery, pageOfIds } from '../db/pagination.ts'
import type { Db } from '../db/pool.ts'
import type { BioLink, BioPageTable } from '../db/schema.ts'

/** A public page of somebody's links. */
export type BioPage = {
  id: number
  alias: string
  title: string
  text: string
  links: BioLink[]
  createdAt: Date
}

export async function insertBio(db: Db, values: Insertable<BioPageTable>): Promise<BioPage> {
  const row = await db
    .insertInto('bio_pages')
    .values(values)
    .returningAll()
    .executeTakeFirstOrThrow()
  return toBio(row)
}

export async function findBioByAlias(
  db: Db,
  alias: string,
): Promise<{ bio: BioPage; suspended: boolean } | undefined> {
  const row = await db
    .selectFrom('bio_pages')
    .innerJoin('accounts', 'accounts.id', 'bio_pages.account_id')
    .selectAll('bio_pages')
    .select('accounts.suspended_at')
    .where('bio_pages.alias', '=', alias)
    .executeTakeFirst()
  return row && { bio: toBio(row), suspended: row.suspended_at !== null }
}

export async function listBios(db: Db, accountId: number, page: PageQuery): Promise<Page<BioPage>> {
  const { ids, total } = await pageOfIds(db, 'bio_pages', accountId, page)
  if (ids.length === 0) return { entries: [], total }
  const rows = await db
    .selectFrom('bio_pages')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('id', 'in', ids)
    .orderBy('id', 'desc')
    .execute()
  return { entries: rows.map(toBio), total }
}

/** Deletes a bio page of an account; says whether there was one. */
export async function deleteBio(db: Db, accountId: number, id: number): Promise<boolean> {
  const row = await db
    .deleteFrom('bio_pages')
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

function toBio(row: Selectable<BioPageTable>): BioPage {
  const { id, alias, title, text, links, created_at: createdAt } = row
  return { id, alias, title, text, links, createdAt }
}
