import {
  type BlockRequest,
  blockHost as block,
  findBlockedHost,
  unblockHost as unblock,
} from '../blocked-hosts/blocked-host.service.ts'
import type { BlockedHost } from '../blocked-hosts/blocked-host.ts'
import type { Context } from '../context.ts'
import type { Db } from '../db/pool.ts'
import { inTransaction } from '../db/transaction.ts'
import { AppError } from '../errors.ts'
import { listHosts } from '../links/destination.ts'
import { getAnyLink } from '../links/link-moderation.ts'
import { logAction } from '../operator-log/operator-log.service.ts'

const MAX_REASON = 200

/** Blocks a host. @throws AppError `invalid_input` naming `host` or `reason` */
export function blockHost(
  ctx: Context,
  db: Db,
  actor: string,
  request: Omit<BlockRequest, 'by'>,
): Promise<BlockedHost> {
  return inTransaction(db, async (tx) => {
    const blocked = await block(ctx, tx, { ...request, by: actor })
    const { reason: detail } = blocked
    await logAction(ctx, tx, { actor, action: 'host.block', subject: formatHost(blocked), detail })
    return blocked
  })
}

/**
 * Blocks a host to which the link at a short URL leads. If its subdomains are already blocked, they
 * remain blocked.
 *
 * @throws AppError `invalid_input` naming `url`, `not_found`, `link_changed` if the link leads
 * elsewhere
 */
export function blockHostOfLink(
  ctx: Context,
  db: Db,
  actor: string,
  shortUrl: string,
  host: string,
): Promise<BlockedHost> {
  return inTransaction(db, async (tx) => {
    const link = await getAnyLink(ctx, tx, shortUrl)
    if (!listHosts(link.destinations).includes(host)) throw new AppError('link_changed')
    const { subdomains = false } = (await findBlockedHost(tx, host)) ?? {}
    const reason = `Destination of ${link.shortUrl}`.slice(0, MAX_REASON)
    return blockHost(ctx, tx, actor, { host, subdomains, reason })
  })
}

/** Unblocks a host. @throws AppError `invalid_input` naming `host`, `not_found` */
export function unblockHost(
  ctx: Context,
  db: Db,
  actor: string,
  host: string,
): Promise<BlockedHost> {
  return inTransaction(db, async (tx) => {
    const unblocked = await unblock(ctx, tx, host)
    await logAction(ctx, tx, { actor, action: 'host.unblock', subject: formatHost(unblocked) })
    return unblocked
  })
}

/** Formats a blocked host, such as `*.example.com` if its subdomains are blocked too. */
function formatHost({ host, subdomains }: BlockedHost): string {
  return subdomains ? `*.${host}` : host
}
