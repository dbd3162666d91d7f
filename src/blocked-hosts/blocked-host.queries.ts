import { sql } from 'kysely'
import type { Page, PageQuery } from '../db/pagination.ts'
import type { Db } from '../db/pool.ts'
import type { Tx } from '../db/transaction.ts'
import type { BlockedHost } from './blocked-host.ts'

const COLUMNS = ['host', 'subdomains', 'reason', 'blocked_by as by', 'blocked_at as at'] as const

/** Returns all blocked hosts, with the columns needed for matching. */
export function readBlockedHosts(db: Db): Promise<Pick<BlockedHost, 'host' | 'subdomains'>[]> {
  return db.selectFrom('blocked_hosts').select(['host', 'subdomains']).execute()
}

/** Returns one page of blocked hosts whose name contains `part`, newest first, and the total. */
export async function listBlockedHosts(
  db: Db,
  part: string,
  { limit, offset }: PageQuery,
): Promise<Page<BlockedHost>> {
  const matching = db
    .selectFrom('blocked_hosts')
    .$if(part !== '', (query) => query.where(sql<boolean>`strpos(host, ${part}) > 0`))
  const entries = await matching
    .select(COLUMNS)
    .orderBy('blocked_at', 'desc')
    .orderBy('host')
    .limit(limit)
    .offset(offset)
    .execute()
  const { total } = await matching
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  return { entries, total: Number(total) }
}

export function findBlockedHost(db: Db, host: string): Promise<BlockedHost | undefined> {
  return db.selectFrom('blocked_hosts').select(COLUMNS).where('host', '=', host).executeTakeFirst()
}

export async function countBlockedHosts(db: Db): Promise<number> {
  const { total } = await db
    .selectFrom('blocked_hosts')
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  return Number(total)
}

/** Blocks a host, or updates an existing block. */
export function putBlockedHost(
  tx: Tx,
  { host, subdomains, reason, by }: Omit<BlockedHost, 'at'>,
): Promise<BlockedHost> {
  const values = { subdomains, reason, blocked_by: by, blocked_at: sql<Date>`now()` }
  return tx
    .insertInto('blocked_hosts')
    .values({ host, ...values })
    .onConflict((conflict) => conflict.column('host').doUpdateSet(values))
    .returning(COLUMNS)
    .executeTakeFirstOrThrow()
}

/** Unblocks a host. Returns the deleted block, or undefined. */
export function deleteBlockedHost(tx: Tx, host: string): Promise<BlockedHost | undefined> {
  return tx
    .deleteFrom('blocked_hosts')
    .where('host', '=', host)
    .returning(COLUMNS)
    .executeTakeFirst()
}

/**
 * Returns the number of links (including those of QR codes and bio pages) that have a destination
 * on a host, up to `max`. Scans all links, so it fails with PostgreSQL error 57014 after
 * `timeoutMs` milliseconds.
 */
export async function countLinksTo(
  tx: Tx,
  { host, subdomains }: Pick<BlockedHost, 'host' | 'subdomains'>,
  { max, timeoutMs }: { max: number; timeoutMs: number },
): Promise<number> {
  // A stored destination always has a slash after its host.
  const pattern = `https?://${subdomains ? '([^/]*[.])?' : ''}${escapePattern(host)}[.]*(:[0-9]+)?/`
  await sql`select set_config('statement_timeout', ${String(timeoutMs)}, true)`.execute(tx)
  // Searching for the plain host first is many times faster than matching the pattern.
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from (
      select from links
      where kind <> 'deleted' and ((strpos(url, ${host}) > 0 and url ~ ${`^${pattern}`})
        or expired_url ~ ${`^${pattern}`}
        or (rules <> '[]' and rules::text ~ ${`"to": "${pattern}`})
        or (split <> '[]' and split::text ~ ${`"to": "${pattern}`}))
      limit ${max}
    ) found`.execute(tx)
  return rows[0]?.count ?? 0
}

function escapePattern(text: string): string {
  return text.replace(/[^A-Za-z0-9_-]/g, '\\$&')
}
