import type { Insertable, Selectable } from 'kysely'
import { listOwned } from '../db/owned.queries.ts'
import type { Page, PageQuery } from '../db/pagination.ts'
import type { Db } from '../db/pool.ts'
import type { BioPageTable } from '../db/schema/pages.ts'
import type { BioPage } from './bio.ts'

const COLUMNS = ['id', 'alias', 'title', 'text', 'links', 'created_at'] as const

/** Creates a bio page. A unique index covers its alias. */
export async function insertBio(db: Db, values: Insertable<BioPageTable>): Promise<BioPage> {
  const row = await db
    .insertInto('bio_pages')
    .values(values)
    .returningAll()
    .executeTakeFirstOrThrow()
  return toBio(row)
}

/** Returns the bio page at `/b/<alias>`, and whether its account is suspended. */
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
  const { entries, total } = await listOwned(db, 'bio_pages', COLUMNS, accountId, page)
  return { entries: entries.map(toBio), total }
}

export function toBio(row: Pick<Selectable<BioPageTable>, (typeof COLUMNS)[number]>): BioPage {
  const { id, alias, title, text, links, created_at: createdAt } = row
  return { id, alias, title, text, links, createdAt }
}
