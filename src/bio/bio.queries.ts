import type { Insertable, Selectable } from 'kysely'
import { readTotals } from '../clicks/read.ts'
import { listOwned } from '../db/owned.queries.ts'
import type { Page, PageQuery } from '../db/pagination.ts'
import type { Db } from '../db/pool.ts'
import type { BioLink, BioPageTable } from '../db/schema/pages.ts'
import type { BioPage } from './bio.ts'
import type { ButtonTarget } from './hidden-button.ts'

const COLUMNS = [
  'id',
  'alias',
  'title',
  'text',
  'links',
  'theme',
  'color',
  'picture_hash',
  'created_at',
] as const

/** Creates a bio page. A unique index covers its alias. */
export async function insertBio(db: Db, values: Insertable<BioPageTable>): Promise<BioPage> {
  const row = await db
    .insertInto('bio_pages')
    .values(values)
    .returning(COLUMNS)
    .executeTakeFirstOrThrow()
  return toBio(row)
}

/**
 * Returns the bio page at `/b/<alias>`, and whether its account is suspended. Returns undefined if
 * there is none.
 */
export async function findBioByAlias(
  db: Db,
  alias: string,
): Promise<{ bio: BioPage; isSuspended: boolean } | undefined> {
  const row = await db
    .selectFrom('bio_pages')
    .innerJoin('accounts', 'accounts.id', 'bio_pages.account_id')
    .select(COLUMNS.map((column) => `bio_pages.${column}` as const))
    .select('accounts.suspended_at')
    .where('bio_pages.alias', '=', alias)
    .executeTakeFirst()
  return row && { bio: toBio(row), isSuspended: row.suspended_at !== null }
}

/** Returns the links of buttons, by id. Omits deleted links. */
export async function findTargets(
  db: Db,
  buttons: readonly BioLink[],
): Promise<ReadonlyMap<number, ButtonTarget>> {
  const ids = buttons.flatMap(({ linkId }) => linkId ?? [])
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('links')
    .leftJoin('domains', 'domains.id', 'links.domain_id')
    .select(['links.id', 'links.url', 'links.status', 'links.blocked_at'])
    .select(['links.starts_at', 'links.ends_at', 'links.used_up_at'])
    .select(['links.expired_url', 'domains.expired_url as domain_expired_url'])
    .where('links.id', 'in', ids)
    .where('links.kind', '<>', 'deleted')
    .execute()
  return new Map(
    rows.map(({ id, url, status, blocked_at, ...row }) => [
      id,
      {
        url,
        status,
        isBlocked: blocked_at !== null,
        startsAt: row.starts_at,
        endsAt: row.ends_at,
        usedUpAt: row.used_up_at,
        redirectsWhenExpired: (row.expired_url ?? row.domain_expired_url) !== null,
      },
    ]),
  )
}

/**
 * Returns the picture of the page at `/b/<alias>`. Returns undefined if there is no such page or
 * its account is suspended.
 */
export function findPicture(
  db: Db,
  alias: string,
): Promise<{ picture: Buffer | null; picture_hash: string | null } | undefined> {
  return db
    .selectFrom('bio_pages')
    .innerJoin('accounts', 'accounts.id', 'bio_pages.account_id')
    .select(['bio_pages.picture', 'bio_pages.picture_hash'])
    .where('bio_pages.alias', '=', alias)
    .where('accounts.suspended_at', 'is', null)
    .executeTakeFirst()
}

export async function listBios(db: Db, accountId: number, page: PageQuery): Promise<Page<BioPage>> {
  const { entries, total } = await listOwned({ db, accountId }, 'bio_pages', COLUMNS, page)
  return { entries: await addClicks(db, entries.map(toBio)), total }
}

/** Returns the pages with the clicks of their buttons. */
export async function addClicks(db: Db, bios: readonly BioPage[]): Promise<BioPage[]> {
  const ids = bios.flatMap(({ links }) => links.flatMap(({ linkId }) => linkId ?? []))
  const totals = await readTotals(db, ids)
  return bios.map((bio) => ({
    ...bio,
    links: bio.links.map(({ linkId, ...link }): BioPage['links'][number] => {
      if (linkId === undefined) return link
      return { ...link, linkId, clicks: totals.get(linkId)?.clicks ?? 0 }
    }),
  }))
}

export type BioRow = Pick<Selectable<BioPageTable>, (typeof COLUMNS)[number]>

export function toBio(row: BioRow): BioPage {
  const { id, alias, title, text, links, theme, color } = row
  const { picture_hash: pictureHash, created_at: createdAt } = row
  return { id, alias, title, text, links, theme, color, pictureHash, createdAt }
}
