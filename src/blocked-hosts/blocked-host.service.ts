import type { Context } from '../context.ts'
import { notify } from '../db/notify.ts'
import type { Page, PageQuery } from '../db/pagination.ts'
import type { Db } from '../db/pool.ts'
import { inTransaction, type Tx } from '../db/transaction.ts'
import { AppError, invalid } from '../errors.ts'
import { invalidateHost } from '../invalidation.ts'
import { optionalText } from '../text.ts'
import * as queries from './blocked-host.queries.ts'
import { type BlockedHost, parseBlockedHost } from './blocked-host.ts'

export type BlockRequest = {
  /** The input for `parseBlockedHost`. */
  host: string
  subdomains?: boolean
  reason?: string | undefined
  /** The username of the admin. */
  by: string
}

/** The maximum number of blocked hosts, because every process caches all of them. */
const MAX_HOSTS = 50_000
/**
 * The maximum number of links to count, and the maximum number of milliseconds for counting them.
 */
const MAX_COUNTED = 10_000
const COUNTING_TIME = 1000

/**
 * Blocks a host. Within a second, its links stop redirecting, and new links to it are rejected. If
 * the host is already blocked, updates the block.
 *
 * @throws AppError `invalid_input` naming `host` or `reason`
 */
export async function blockHost(
  ctx: Context,
  db: Db,
  { host: typed, subdomains: includesSubdomains, reason, by }: BlockRequest,
): Promise<BlockedHost> {
  const { host, subdomains } = parseBlockedHost(typed, includesSubdomains)
  const note = optionalText('reason', reason, 200)
  return change(ctx, db, host, async (tx) => {
    const blocked = await queries.putBlockedHost(tx, { host, subdomains, reason: note, by })
    if ((await queries.countBlockedHosts(tx)) > MAX_HOSTS) {
      throw invalid('host', `would be one of over ${MAX_HOSTS}`)
    }
    return blocked
  })
}

/**
 * Unblocks a host.
 *
 * @throws AppError `invalid_input` naming `host`, `not_found`
 */
export async function unblockHost(ctx: Context, db: Db, typed: string): Promise<BlockedHost> {
  const { host } = parseBlockedHost(typed)
  return change(ctx, db, host, async (tx) => {
    const blocked = await queries.deleteBlockedHost(tx, host)
    if (!blocked) throw new AppError('not_found', `${host} is not blocked.`)
    return blocked
  })
}

/**
 * Returns the block of a host, if any.
 *
 * @throws AppError `invalid_input` naming `host`
 */
export async function findBlockedHost(db: Db, typed: string): Promise<BlockedHost | undefined> {
  return queries.findBlockedHost(db, parseBlockedHost(typed).host)
}

/** Lists the blocked hosts whose name contains `part`, newest first. */
export function listBlockedHosts(db: Db, page: PageQuery, part = ''): Promise<Page<BlockedHost>> {
  return queries.listBlockedHosts(db, part.trim().toLowerCase(), page)
}

/**
 * Counts the links to a host. `atLeast` is set if there are more links than the returned number.
 * Returns undefined if counting takes too long.
 *
 * @throws AppError `invalid_input` naming `host`
 */
export async function countLinksToHost(
  db: Db,
  typed: string,
  wantsSubdomains = false,
): Promise<{ count: number; atLeast: boolean } | undefined> {
  const rule = parseBlockedHost(typed, wantsSubdomains)
  const limits = { max: MAX_COUNTED, timeoutMs: COUNTING_TIME }
  try {
    const count = await inTransaction(db, (tx) => queries.countLinksTo(tx, rule, limits))
    return { count, atLeast: count === MAX_COUNTED }
  } catch (error) {
    if ((error as { code?: unknown }).code === '57014') return undefined
    throw error
  }
}

async function change<T>(
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
