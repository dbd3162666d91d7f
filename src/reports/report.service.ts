import type { HostMatcher } from '../blocked-hosts/blocked-host.ts'
import type { Context, WebContext } from '../context.ts'
import type { Page, PageQuery } from '../db/pagination.ts'
import type { Db } from '../db/pool.ts'
import { DAILY_PREFIX, DAY_SECONDS } from '../db/rate-window.queries.ts'
import type { Tx } from '../db/transaction.ts'
import { AppError, invalid } from '../errors.ts'
import { normalizeOptionalText } from '../text.ts'
import * as queries from './report.queries.ts'
import { type Decision, type LinkReport, REPORT_REASONS } from './report.ts'

/** A report as sent by a visitor. */
export type ReportInput = { reason: string; text: string }

/** The maximum number of reports per day from one IP address, and per minute about one link. */
const MAX_PER_ADDRESS = 20
const MAX_PER_LINK = 30
/** The maximum length of a report's text. */
export const MAX_REPORT_TEXT = 1000
/** The maximum number of settled reports. Older ones are deleted before they expire. */
const MAX_SETTLED = 1000

/**
 * Stores a visitor's report about a link. Each IP address counts once a day per link. Reports above
 * the limit per link are dropped, but the visitor gets the same response.
 *
 * @throws AppError `invalid_input` naming `reason` or `text`, `rate_limited`, `not_found`
 */
export async function addReport(
  ctx: WebContext,
  db: Db,
  linkId: number,
  address: string,
  input: ReportInput,
): Promise<void> {
  const { rateLimiter } = ctx
  const reason = REPORT_REASONS.find((known) => known === input.reason)
  if (!reason) throw invalid('reason', 'offered')
  const text = normalizeOptionalText('text', input.text.replaceAll('\r\n', '\n'), MAX_REPORT_TEXT)
  const caller = ctx.hashAddress(address)
  const byAddress = `${DAILY_PREFIX}report:${caller}`
  const retryAfter = await rateLimiter.count(byAddress, MAX_PER_ADDRESS, DAY_SECONDS)
  if (retryAfter !== undefined) throw new AppError('rate_limited', { retryAfter })
  const duplicateRetryAfter = await rateLimiter.count(
    `${DAILY_PREFIX}report:${linkId}:${caller}`,
    1,
    DAY_SECONDS,
  )
  if (duplicateRetryAfter !== undefined) return
  if ((await rateLimiter.count(`report:${linkId}`, MAX_PER_LINK)) !== undefined) return
  const added = await queries.addReport(db, { linkId, reason, text, at: ctx.clock() })
  if (!added) throw new AppError('not_found')
}

/** Lists open reports (most reported link first), or settled ones (newest first). */
export async function listReports(
  ctx: Context,
  db: Db,
  filter: { settled: boolean },
  page: PageQuery,
): Promise<Page<LinkReport>> {
  const blocked = await ctx.blockList.current()
  return queries.listReports(db, { baseUrl: ctx.config.baseUrl, blocked }, filter, page)
}

/**
 * Returns the open reports of a link, and locks them until the transaction ends.
 *
 * @throws AppError `not_found`
 */
export async function lockReport(
  ctx: Context,
  tx: Tx,
  id: number,
  blocked: HostMatcher,
): Promise<LinkReport> {
  const { baseUrl } = ctx.config
  const report = await queries.lockWaitingReport(tx, { baseUrl, blocked }, id)
  if (!report) throw new AppError('not_found', { text: 'rejections.reports_settled' })
  return report
}

/**
 * Settles all open reports about the link. With the decision to suspend the account, settles the
 * reports about all links of the account.
 */
export async function settleReport(
  ctx: Context,
  tx: Tx,
  { link, account }: Pick<LinkReport, 'link' | 'account'>,
  decision: Decision,
  by: string,
): Promise<void> {
  const subject = decision === 'suspend' ? { accountId: account.id } : { linkId: link.id }
  await queries.settleReports(tx, subject, { decision, by, at: ctx.clock() })
  await queries.trimSettled(tx, MAX_SETTLED)
}
