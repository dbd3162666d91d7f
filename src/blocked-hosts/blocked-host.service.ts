import type { Context } from '../context.ts'
import { isStatementTimeout } from '../db/errors.ts'
import { notify } from '../db/notify.ts'
import type { Page, PageQuery } from '../db/pagination.ts'
import type { Db } from '../db/pool.ts'
import { inTransaction, type Tx } from '../db/transaction.ts'
import { AppError, checkAll, invalid } from '../errors.ts'
import { invalidateHost } from '../invalidation.ts'
import { normalizeOptionalText } from '../text.ts'
import * as queries from './blocked-host.queries.ts'
import { type BlockedHost, parseBlockedHost } from './blocked-host.ts'

export type BlockRequest = {
  /** The input for `parseBlockedHost`. */
  host: string
  subdomains?: boolean
  reason?: string | undefined
  /** The username of the admin, or the name of the command line. */
  by: string
}

/** The maximum number of blocked hosts, because every process caches all of them. */
const MAX_HOSTS = 50_000
/**
 * The maximum number of links to count, and the maximum number of milliseconds for counting them.
 */
const MAX_COUNTED = 10_000
const COUNTING_TIMEOUT_MS = 1000

/**
 * Blocks a host. Within a second, its links stop redirecting, and new links to it are rejected. If
 * the host is already blocked, updates the block.
 *
 * @throws AppError `invalid_input` naming `host` or `reason`
 */
export async function blockHost(
  ctx: Context,
  db: Db,
  { host: input, subdomains: includesSubdomains, reason, by }: BlockRequest,
): Promise<BlockedHost> {
  const [{ host, subdomains }, trimmedReason] = checkAll(
    () => parseBlockedHost(input, includesSubdomains),
    () => normalizeOptionalText('reason', reason, 200),
  )
  return changeBlock(ctx, db, host, async (tx) => {
    const blocked = await queries.putBlockedHost(tx, {
      host,
      subdomains,
      reason: trimmedReason,
      by,
    })
    if ((await queries.countBlockedHosts(tx)) > MAX_HOSTS) {
      throw invalid('host', 'too_many_hosts', { max: MAX_HOSTS })
    }
    return blocked
  })
}

/**
 * Unblocks a host.
 *
 * @throws AppError `invalid_input` naming `host`, `not_found`
 */
export async function unblockHost(ctx: Context, db: Db, input: string): Promise<BlockedHost> {
  const { host } = parseBlockedHost(input)
  return changeBlock(ctx, db, host, async (tx) => {
    const blocked = await queries.deleteBlockedHost(tx, host)
    if (!blocked)
      throw new AppError('not_found', { text: 'rejections.host_not_blocked', args: { host } })
    return blocked
  })
}

/**
 * Returns the block of a host, if any.
 *
 * @throws AppError `invalid_input` naming `host`
 */
export async function findBlockedHost(db: Db, input: string): Promise<BlockedHost | undefined> {
  return queries.findBlockedHost(db, parseBlockedHost(input).host)
}

/** Lists the blocked hosts whose name contains `part`, newest first. */
export function listBlockedHosts(db: Db, page: PageQuery, part = ''): Promise<Page<BlockedHost>> {
  return queries.listBlockedHosts(db, part.trim().toLowerCase(), page)
}

/**
 * Counts the links to a host. `atLeast` is set if there may be more links than the returned number.
 * Returns undefined if counting takes too long.
 *
 * @throws AppError `invalid_input` naming `host`
 */
export async function countLinksToHost(
  db: Db,
  input: string,
  wantsSubdomains = false,
): Promise<{ count: number; atLeast: boolean } | undefined> {
  const rule = parseBlockedHost(input, wantsSubdomains)
  const limits = { max: MAX_COUNTED, timeoutMs: COUNTING_TIMEOUT_MS }
  try {
    const count = await inTransaction(db, (tx) => queries.countLinksTo(tx, rule, limits))
    return { count, atLeast: count === MAX_COUNTED }
  } catch (error) {
    if (isStatementTimeout(error)) return undefined
    throw error
  }
}

/** Runs `work` in a transaction that changes the block of a host, and notifies all processes. */
async function changeBlock<T>(
  ctx: Context,
  db: Db,
  host: string,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  const result = await inTransaction(db, async (tx) => {
    await notify(tx, [{ kind: 'blocked-host', host }])
    return work(tx)
  })
  invalidateHost(ctx, host)
  return result
}
