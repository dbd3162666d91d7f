import {
  type BlockRequest,
  blockHost as block,
  findBlockedHost,
  unblockHost as unblock,
} from '../blocked-hosts/blocked-host.service.ts'
import type { BlockedHost } from '../blocked-hosts/blocked-host.ts'
import type { Context } from '../context.ts'
import type { Db } from '../db/pool.ts'
import { inTransaction, type Tx } from '../db/transaction.ts'
import { AppError, invalid } from '../errors.ts'
import { settleHold } from '../holds/hold.service.ts'
import type { HeldLink, HoldDecision } from '../holds/hold.ts'
import { releaseReviewed } from '../holds/reserve.queries.ts'
import { hashDestinations, listHosts } from '../links/destination.ts'
import type { LinkStatus } from '../links/link.ts'
import { getAnyLink, type ModeratedLink, moderateLink } from '../links/link-moderation.ts'
import { logAction } from '../operator-log/operator-log.service.ts'
import { lockReport, settleReport } from '../reports/report.service.ts'
import { type LinkReport, REPORT_REASONS, type Verdict } from '../reports/report.ts'
import { normalizeOptionalText } from '../text.ts'
import { suspendAccount } from './account-actions.service.ts'

const MAX_REASON = 200

/**
 * Confirms or releases the reservations of a deleted link.
 *
 * @throws AppError `not_found` if another admin has already decided
 */
export function decideHold(
  ctx: Context,
  db: Db,
  actor: string,
  id: number,
  decision: HoldDecision,
): Promise<HeldLink> {
  return inTransaction(db, async (tx) => {
    const heldLink = await settleHold(ctx, tx, id, decision, actor)
    const detail = `Deleted by ${heldLink.account.username}`
    const action = `hold.${decision}` as const
    await logAction(ctx, tx, { actor, action, subject: heldLink.shortUrl, detail })
    return heldLink
  })
}

/**
 * Disables or enables the link at a short URL, in any account.
 *
 * @throws AppError `invalid_input` naming `url` or `reason`, `not_found`
 */
export function changeLinkStatus(
  ctx: Context,
  db: Db,
  actor: string,
  shortUrl: string,
  { status, reason }: { status: LinkStatus; reason?: string | undefined },
): Promise<ModeratedLink> {
  return inTransaction(db, async (tx) => {
    const link = await moderateLink(ctx, tx, shortUrl, status, reason)
    const action = status === 'disabled' ? 'link.disable' : 'link.enable'
    const detail = normalizeOptionalText('reason', reason, MAX_REASON)
    await logAction(ctx, tx, { actor, action, subject: link.shortUrl, detail })
    return link
  })
}

/**
 * Settles the reports of a link and applies the verdict in one transaction.
 *
 * @throws AppError `not_found` if they are already settled, `forbidden` for the actor's own
 * account, `link_changed` if the link's destinations differ from those the admin has seen,
 * `invalid_input` naming `host`
 */
export async function decideReport(
  ctx: Context,
  db: Db,
  actor: string,
  id: number,
  verdict: Verdict,
): Promise<LinkReport> {
  const blocked = await ctx.blockList.current()
  return inTransaction(db, async (tx) => {
    const report = await lockReport(ctx, tx, id, blocked)
    // Otherwise, the owner of a link could trick an admin into approving destinations that the
    // admin has not seen.
    if (verdict.seen !== hashDestinations(report.link.destinations))
      throw new AppError('link_changed')
    await applyVerdict(ctx, tx, actor, report, verdict)
    await settleReport(ctx, tx, report, verdict.decision, actor)
    const { link, account } = report
    const isSuspended = verdict.decision === 'suspend'
    await releaseReviewed(tx, isSuspended ? { accountId: account.id } : { linkId: link.id })
    return report
  })
}

async function applyVerdict(
  ctx: Context,
  tx: Tx,
  actor: string,
  report: LinkReport,
  { decision, host }: Verdict,
): Promise<void> {
  const { link, account } = report
  const reason = `Reported by visitors: ${formatCounts(report)}`
  switch (decision) {
    case 'disable':
      await changeLinkStatus(ctx, tx, actor, link.shortUrl, { status: 'disabled', reason })
      return
    case 'block': {
      if (
        host === undefined ||
        !listHosts([...link.destinations, ...link.formerDestinations]).includes(host)
      ) {
        throw invalid('host', 'host_of_link')
      }
      // If its subdomains are already blocked, they remain blocked.
      const { subdomains = false } = (await findBlockedHost(tx, host)) ?? {}
      await blockHost(ctx, tx, actor, { host, subdomains, reason })
      return
    }
    case 'suspend':
      await suspendAccount(ctx, tx, actor, account.id, { suspended: true, reason })
      return
    case 'dismiss': {
      const line = { actor, action: 'report.dismiss', subject: link.shortUrl } as const
      await logAction(ctx, tx, { ...line, detail: formatCounts(report) })
      return
    }
    default:
      decision satisfies never
  }
}

/** Returns the number of reports per reason, such as `2 phishing, 1 spam`. */
function formatCounts({ counts }: LinkReport): string {
  const reasons = REPORT_REASONS.filter((reason) => counts[reason] > 0)
  return reasons.map((reason) => `${counts[reason]} ${reason}`).join(', ')
}

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
