import type { Context } from '../context.ts'
import type { Page, PageQuery } from '../db/pagination.ts'
import type { Db } from '../db/pool.ts'
import type { Tx } from '../db/transaction.ts'
import { AppError, invalid } from '../errors.ts'
import type { AccountScope } from '../scope.ts'
import { normalizeHost } from '../urls/host.ts'
import { parseEnteredAlias, parseShortUrl, type ShortLink } from '../urls/short-url.ts'
import { findHeldDestinations, isAliasHeld } from './held-address.queries.ts'
import * as queries from './held-link.queries.ts'
import type { HeldLink, HoldDecision } from './hold.ts'
import { releaseHeld } from './reserve.queries.ts'

/**
 * Lists held links, most recently deleted first. They are either waiting for a decision or
 * confirmed.
 */
export function listHeldLinks(
  ctx: Context,
  db: Db,
  filter: { confirmed: boolean },
  page: PageQuery,
): Promise<Page<HeldLink>> {
  return queries.listHeldLinks(db, ctx.config.baseUrl, filter, page)
}

/**
 * Returns whether the alias of an entered short link is reserved, either for a deleted link or as a
 * former alias. Its domain may have been deleted too.
 */
export async function isShortLinkReserved(ctx: Context, db: Db, text: string): Promise<boolean> {
  const isHeld = ({ host, alias }: ShortLink) => {
    const isService = host === undefined || host === new URL(ctx.config.baseUrl).host
    return isAliasHeld(db, { alias, host: isService ? '' : normalizeHost(host) })
  }
  const shortUrl = parseShortUrl(text.trim())
  if (shortUrl && (await isHeld(shortUrl))) return true
  const alias = parseEnteredAlias(text)
  return alias !== undefined && isHeld({ host: undefined, alias })
}

/**
 * Confirms or releases the reservations of a held link, and settles its open reports. Confirmed
 * reservations can still be released.
 *
 * @throws AppError `not_found`
 */
export async function settleHold(
  ctx: Context,
  tx: Tx,
  id: number,
  decision: HoldDecision,
  by: string,
): Promise<HeldLink> {
  const heldLink = await queries.lockHeldLink(tx, ctx.config.baseUrl, id)
  if (!heldLink) throw new AppError('not_found', { text: 'rejections.hold_ended' })
  if (decision === 'release') await releaseHeld(tx, id)
  await queries.decideHeldLink(tx, id, { decision, by, at: ctx.clock() })
  return heldLink
}

/**
 * Rejects a URL on a blocked host. Also rejects a URL that is reserved for the account, unless it
 * is one of `current`. The destinations of links are checked elsewhere; this is for everything else
 * that contains URLs.
 *
 * @throws AppError `invalid_input` naming `field`
 */
export async function checkDestination(
  scope: AccountScope & Pick<Context, 'blockList'>,
  field: string,
  url: URL,
  current: readonly (string | null)[] = [],
): Promise<void> {
  await scope.blockList.check(field, url)
  const { href } = url
  if (current.includes(href)) return
  const reserved = await findHeldDestinations(scope, [href])
  if (reserved.size > 0) throw invalid(field, 'destination_held')
}
