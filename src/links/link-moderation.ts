import { sql } from 'kysely'
import { ADMIN } from '../actor.ts'
import { readTotals } from '../clicks/read.ts'
import type { Context } from '../context.ts'
import { notify } from '../db/notify.ts'
import type { Db } from '../db/pool.ts'
import type { RecordedTx } from '../db/recorded-tx.ts'
import { inTransaction, type Tx } from '../db/transaction.ts'
import { AppError, invalid } from '../errors.ts'
import { releaseReviewed, reserveDestinations } from '../holds/reserve.queries.ts'
import { normalizeOptionalText } from '../text.ts'
import { parseShortLink, shortUrlOf } from '../urls/short-url.ts'
import { listDestinations } from './destination.ts'
import type { Link, LinkStatus } from './link.ts'
import { findAddress, type ShortLinkAddress } from './short-link.ts'
import { recordChanges } from './versions/record-changes.ts'
import { findGuesses } from './visit/password-guesses.queries.ts'

export type ModeratedLink = {
  id: number
  /** The email address of the link's account. */
  email: string
  shortUrl: string
  url: string
  status: LinkStatus
  /** Whether this call changed the status. */
  hasChanged: boolean
}

/** The maximum length of the reason for disabling a link. */
const MAX_REASON = 200

/** The kind of resource to which an internal link belongs, by the link's kind. */
const RESOURCE_OF_KIND: Readonly<Record<string, 'code' | 'bio'>> = {
  qr: 'code',
  forward: 'code',
  bio: 'bio',
}

/** A link as shown to admins. */
export type ModeratedLinkView = Pick<
  Link,
  'status' | 'block' | 'startsAt' | 'expiresAt' | 'usedUpAt' | 'hasPassword' | 'createdAt'
> & {
  id: number
  shortUrl: string
  url: string
  /** Every destination that visitors may be sent to, the link's own first. */
  destinations: readonly string[]
  /** The kind of resource that the link belongs to, if any. */
  resource: 'code' | 'bio' | undefined
  clicks: number
  account: { id: number; username: string; suspended: boolean }
}

type EnteredAddress = ShortLinkAddress & {
  /** The short URL as entered. */
  shortUrl: string
}

/**
 * Disables or enables the link at a short URL, in any account, including links of QR codes. The
 * owner of a disabled link sees the reason, cannot enable the link, and cannot create links to its
 * destinations.
 *
 * @throws AppError `invalid_input` naming `url` or `reason`, `not_found`
 */
export async function moderateLink(
  ctx: Context,
  tx: Tx,
  shortUrl: string,
  status: LinkStatus,
  reason?: string,
): Promise<ModeratedLink> {
  const parsedReason = normalizeOptionalText('reason', reason, MAX_REASON)
  const address = await readAddress(ctx, tx, shortUrl)
  const { id, email, url, status: previousStatus } = await lockLinkAt(tx, address)
  await recordChanges(tx, { actor: ADMIN, ids: [id] }, (tx) =>
    setLinkStatus(tx, id, status, parsedReason),
  )
  if (status === 'disabled') await reserveDestinations(tx, [id])
  else await releaseReviewed(tx, { linkId: id })
  const { domainId, alias } = address
  await notify(tx, [{ kind: 'link', domainId, alias }])
  return {
    id,
    email,
    shortUrl: formatShortUrl(ctx, address),
    url,
    status,
    hasChanged: previousStatus !== status,
  }
}

/**
 * Returns the link at a short URL, in any account.
 *
 * @throws AppError `invalid_input` naming `url`, `not_found`
 */
export async function getAnyLink(
  ctx: Context,
  db: Db,
  shortUrl: string,
): Promise<ModeratedLinkView> {
  const address = await readAddress(ctx, db, shortUrl)
  const row = await findAnyLinkDetails(db, address.domainId, address.alias)
  if (!row) throw createNotFoundError(shortUrl)
  const totals = await readTotals(db, [row.id])
  return {
    id: row.id,
    shortUrl: formatShortUrl(ctx, address),
    url: row.url,
    destinations: listDestinations(row),
    resource: RESOURCE_OF_KIND[row.kind],
    status: row.status,
    block: row.blocked_at && { at: row.blocked_at, reason: row.block_reason },
    startsAt: row.starts_at,
    expiresAt: row.expires_at,
    usedUpAt: row.used_up_at,
    hasPassword: row.has_password,
    createdAt: row.created_at,
    clicks: totals.get(row.id)?.clicks ?? 0,
    account: {
      id: row.account_id,
      username: row.username,
      suspended: row.suspended_at !== null,
    },
  }
}

/**
 * Returns the password guesses for a short URL, in any account.
 *
 * @throws AppError `invalid_input` naming `url`, `not_found`
 */
export async function getAnyGuesses(ctx: Context, db: Db, shortUrl: string) {
  const address = await readAddress(ctx, db, shortUrl)
  const { id, email } = await inTransaction(db, (tx) => lockLinkAt(tx, address))
  return { id, email, shortUrl: formatShortUrl(ctx, address), guesses: await findGuesses(db, id) }
}

async function readAddress(ctx: Context, db: Db, shortUrl: string): Promise<EnteredAddress> {
  if (!(await parseShortLink(shortUrl, ctx.hosts.isOurs)))
    throw invalid('url', 'short_link_or_alias')
  const address = await findAddress(ctx, db, shortUrl)
  if (!address) throw createNotFoundError(shortUrl)
  return { shortUrl, ...address }
}

async function lockLinkAt(tx: Tx, { shortUrl, domainId, alias }: EnteredAddress) {
  const link = await lockAnyLink(tx, domainId, alias)
  if (!link) throw createNotFoundError(shortUrl)
  return link
}

function formatShortUrl({ config }: Context, { origin, alias }: EnteredAddress): string {
  return shortUrlOf(origin ?? config.baseUrl, alias)
}

function createNotFoundError(shortUrl: string): AppError {
  return new AppError('not_found', { text: 'rejections.link_unknown', args: { url: shortUrl } })
}

/**
 * Returns the link at an address, in any account, and locks it until the end of the transaction.
 */
async function lockAnyLink(tx: Tx, domainId: number | null, alias: string) {
  return tx
    .selectFrom('links')
    .innerJoin('accounts', 'accounts.id', 'links.account_id')
    .select(['links.id', 'links.url', 'links.status', 'accounts.email'])
    .where('links.alias', '=', alias)
    .where('links.kind', '<>', 'deleted')
    .where('links.domain_id', domainId === null ? 'is' : '=', domainId)
    .forUpdate('links')
    .executeTakeFirst()
}

/** Returns an admin's view of the link at an address, in any account. */
async function findAnyLinkDetails(db: Db, domainId: number | null, alias: string) {
  return db
    .selectFrom('links')
    .innerJoin('accounts', 'accounts.id', 'links.account_id')
    .leftJoin('splash_pages', (join) =>
      join.onRef('splash_pages.id', '=', 'links.splash_id').on('links.redirect', '=', 'splash'),
    )
    .leftJoin('overlays', (join) =>
      join.onRef('overlays.id', '=', 'links.overlay_id').on('links.redirect', '=', 'overlay'),
    )
    .select([
      'links.rules',
      'links.split',
      'links.expired_url',
      'splash_pages.link as splash_link',
      'overlays.link as overlay_link',
      'links.id',
      'links.url',
      'links.status',
      'links.kind',
      'links.blocked_at',
      'links.block_reason',
      'links.expires_at',
      'links.created_at',
      'links.starts_at',
      'links.used_up_at',
      'accounts.id as account_id',
      'accounts.username',
      'accounts.suspended_at',
      sql<boolean>`links.password_hash is not null`.as('has_password'),
    ])
    .where('links.alias', '=', alias)
    .where('links.kind', '<>', 'deleted')
    .where('links.domain_id', domainId === null ? 'is' : '=', domainId)
    .executeTakeFirst()
}

/** Sets a link's status as an admin. The owner cannot enable a link that an admin disabled. */
async function setLinkStatus(
  tx: RecordedTx,
  id: number,
  status: LinkStatus,
  reason: string | null,
): Promise<void> {
  const block =
    status === 'disabled'
      ? { blocked_at: sql<Date>`now()`, block_reason: reason }
      : { blocked_at: null, block_reason: null }
  await tx
    .updateTable('links')
    .set({ status, ...block })
    .where('id', '=', id)
    .execute()
}
