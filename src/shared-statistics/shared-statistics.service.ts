import { randomBytes } from 'node:crypto'
import type { WebContext } from '../context.ts'
import type { Db } from '../db/pool.ts'
import { AppError } from '../errors.ts'
import * as queries from './shared-statistics.queries.ts'
import { isSharedToken, type SharedPage, type SharedSubject } from './shared-statistics.ts'

/** The maximum number of views of shared pages from one IP address per minute. */
const VIEWS_PER_MINUTE = 60

/**
 * Creates a public page with the statistics of a link or campaign, unless there already is one.
 *
 * @throws AppError `not_found`
 */
export async function sharePage(
  db: Db,
  accountId: number,
  subject: SharedSubject,
  timeZone: string,
): Promise<void> {
  const token = randomBytes(32).toString('base64url')
  const found = await queries.insertPage(db, accountId, subject, { token, timeZone })
  if (!found) throw new AppError('not_found')
}

/** Returns the token of the public page of a link or campaign, or undefined if there is none. */
export function findSharedToken(
  db: Db,
  accountId: number,
  subject: SharedSubject,
): Promise<string | undefined> {
  return queries.findToken(db, accountId, subject)
}

/**
 * Deletes the public page of a link or campaign, if there is one. Its URL stops working
 * permanently.
 */
export function revokePage(db: Db, accountId: number, subject: SharedSubject): Promise<void> {
  return queries.deletePage(db, accountId, subject)
}

/**
 * Returns the page with this token for a visitor at an IP address.
 *
 * @throws AppError `not_found`, `rate_limited`
 */
export async function openPage(
  ctx: Pick<WebContext, 'rateLimiter' | 'hashAddress'>,
  db: Db,
  token: string,
  address: string,
): Promise<SharedPage> {
  if (!isSharedToken(token)) throw new AppError('not_found')
  const retryAfter = await ctx.rateLimiter.count(
    `shared:${ctx.hashAddress(address)}`,
    VIEWS_PER_MINUTE,
  )
  if (retryAfter !== undefined) throw new AppError('rate_limited', { retryAfter })
  const page = await queries.findPage(db, token)
  if (!page) throw new AppError('not_found')
  return page
}
