import { sql } from 'kysely'
import type { Page, PageQuery } from '../db/pagination.ts'
import type { Db } from '../db/pool.ts'
import type { Tx } from '../db/transaction.ts'
import type { BlockedHost } from './blocked-host.ts'

const COLUMNS = ['host', 'subdomains', 'reason', 'blocked_by as by', 'blocked_at as at'] as const

/** All of them, with no more than it takes to compare hosts. */
export function readBlockedHosts(db: Db): Promise<Pick<BlockedHost, 'host' | 'subdomains'>[]> {
  return db.selectFrom('blocked_hosts').select(['host', 'subdomains']).execute()
}

/** One page of those whose name contains `part`, the newest first, with the number of all of them. */
export async function listBlockedHosts(
  db: Db,
  part: string,
  { limit, offset }: PageQuery,
): Promise<Page<BlockedHost>> {
  const found = db
    .selectFrom('blocked_hosts')
    .$if(part !== '', (query) => query.where(sql<boolean>`strpos(host, ${part}) > 0`))
  const entries = await found
    .select(COLUMNS)
    .orderBy('blocked_at', 'desc')
    .orderBy('host')
    .limit(limit)
    .offset(offset)
    .execute()
  const { total } = await found
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

/** Blocks a host, or changes how one is blocked. */
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

/** Takes a host from the list; gives what it was, or undefined if it was not there. */
export function deleteBlockedHost(tx: Tx, host: string): Promise<BlockedHost | undefined> {
  return tx
    .deleteFrom('blocked_hosts')
    .where('host', '=', host)
    .returning(COLUMNS)
    .executeTakeFirst()
}

/**
 * The number of links, also of those behind QR codes, of which some target is on a host, no more than
 * `max`. It looks at every link, so it ends with PostgreSQL's 57014 after `patience` milliseconds.
 */
export async function countLinksTo(
  tx: Tx,
  { host, subdomains }: Pick<BlockedHost, 'host' | 'subdomains'>,
  { max, patience }: { max: number; patience: number },
): Promise<number> {
  // A stored target always has a slash behind its host; what looks like one further on is no host.
  const pattern = `https?://${subdomains ? '([^/]*[.])?' : ''}${escaped(host)}[.]*(:[0-9]+)?/`
  await sql`select set_config('statement_timeout', ${String(patience)}, true)`.execute(tx)
  // Looking for the bare host comes first: it is many times faster than the pattern.
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from (
      select from links
      where (strpos(url, ${host}) > 0 and url ~ ${`^${pattern}`})
        or (rules <> '[]' and rules::text ~ ${`"to": "${pattern}`})
      limit ${max}
    ) found`.execute(tx)
  return rows[0]?.count ?? 0
}

function escaped(text: string): string {
  return text.replace(/[^A-Za-z0-9_-]/g, '\\$&')
}
