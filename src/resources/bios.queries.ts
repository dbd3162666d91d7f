import type { Selectable } from 'kysely'
import type { HostMatcher } from '../blocked-hosts/blocked-host.ts'
import { readTotals } from '../clicks/read.ts'
import { type AccountScope, unscoped } from '../db/account-rows.ts'
import type { BioLink } from '../db/column-types.ts'
import { findOwned, listOwned } from '../db/owned.queries.ts'
import type { Page, PageQuery } from '../db/pagination.ts'
import type { Db } from '../db/pool.ts'
import type { BioPages } from '../db/tables.generated.ts'
import { AppError } from '../errors.ts'

/**
 * A button. `clicks` is undefined if its clicks are not counted. `hidden` is the reason why
 * visitors do not see it.
 */
export type BioButton = BioLink & { clicks?: number; hidden?: HiddenReason | undefined }

/** A public page of links. */
export type BioPage = {
  id: number
  alias: string
  title: string
  text: string
  theme: Selectable<BioPages>['theme']
  /** `#rrggbb`, used by the theme `color`. */
  color: string
  /** The hash of its picture, or null if it has none. */
  pictureHash: string | null
  links: BioButton[]
  createdAt: Date
}

/** A page and everything that determines what visitors see of it. */
export type VisitedBio = {
  bio: BioPage
  picture: Buffer | null
  isSuspended: boolean
  /** The links of its buttons by id. Deleted links are not included. */
  targets: ReadonlyMap<number, ButtonTarget>
}

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

export async function listBios(scope: AccountScope, page: PageQuery): Promise<Page<BioPage>> {
  const { entries, total } = await listOwned(scope, 'bio_pages', COLUMNS, page)
  return { entries: await addClicks(unscoped(scope), entries.map(toBio)), total }
}

/** Returns a page with the clicks of its buttons. @throws AppError `not_found` */
export async function getBio(scope: AccountScope, id: number): Promise<BioPage> {
  const row = await findOwned(scope, 'bio_pages', id)
  const [bio] = row ? await addClicks(unscoped(scope), [toBio(row)]) : []
  if (!bio) throw new AppError('not_found')
  return bio
}

/** Returns the pages with the clicks of their buttons. */
async function addClicks(db: Db, bios: readonly BioPage[]): Promise<BioPage[]> {
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

export type BioRow = Pick<Selectable<BioPages>, (typeof COLUMNS)[number]>

export function toBio(row: BioRow): BioPage {
  const { id, alias, title, text, links, theme, color } = row
  const { picture_hash: pictureHash, created_at: createdAt } = row
  return { id, alias, title, text, links, theme, color, pictureHash, createdAt }
}

/** Returns the links that belong to the page itself. They are deleted with it. */
export function listOwnLinks(buttons: readonly BioLink[]): { linkId: number; alias: string }[] {
  return buttons.flatMap(({ linkId, alias }) =>
    linkId === undefined || alias === undefined ? [] : [{ linkId, alias }],
  )
}

/** The properties of a button's link that determine whether visitors see the button. */
export type ButtonTarget = {
  url: string
  status: 'active' | 'disabled'
  /** Whether an admin disabled it. */
  isBlocked: boolean
  startsAt: Date | null
  endsAt: Date | null
  /** When the last of its clicks was used. */
  usedUpAt: Date | null
  /** Whether it redirects to another URL after it has expired. */
  redirectsWhenExpired: boolean
}

/** The reason why a page does not show a button. */
type HiddenReason =
  | 'blockedHost'
  | 'deleted'
  | 'disabled'
  | 'disabledByAdmin'
  | 'notActive'
  | 'expired'
  | 'usedUp'

/** Returns why visitors do not see a button, or undefined if they see it. */
export function getHiddenReason(
  { linkId, url }: Pick<BioLink, 'linkId' | 'url'>,
  targets: ReadonlyMap<number, ButtonTarget>,
  { list, now }: { list: Pick<HostMatcher, 'blocksDestination'>; now: Date },
): HiddenReason | undefined {
  if (list.blocksDestination(url)) return 'blockedHost'
  if (linkId === undefined) return undefined
  const target = targets.get(linkId)
  if (!target) return 'deleted'
  if (target.isBlocked) return 'disabledByAdmin'
  if (target.status === 'disabled') return 'disabled'
  if (target.endsAt && target.endsAt <= now) {
    if (target.redirectsWhenExpired) return undefined
    return target.usedUpAt?.getTime() === target.endsAt.getTime() ? 'usedUp' : 'expired'
  }
  if (target.startsAt && target.startsAt > now) return 'notActive'
  return list.blocksDestination(target.url) ? 'blockedHost' : undefined
}
