import { type Selectable, sql } from 'kysely'
import type { Db } from '../db/pool.ts'
import type { DomainTable } from '../db/schema/domains.ts'
import type { Tx } from '../db/transaction.ts'

/** A domain that is due for a check, with its last known state. */
export type WatchedDomain = Pick<
  Selectable<DomainTable>,
  'id' | 'account_id' | 'origin' | 'failing_since'
> & { previous_check_at: Date | null }

type DueOptions = {
  now: Date
  /** Domains that were last checked before this time are due. */
  lastCheckedBefore: Date
  /** Domains that have failed once are due if they were last checked before this time. */
  failedOnceBefore: Date
  limit: number
}

/**
 * Claims domains that are due for a check, so that no other process checks them. Includes only
 * domains of accounts that subscribe to `domain.failing`.
 */
export async function claimDomains(
  db: Db,
  { now, lastCheckedBefore, failedOnceBefore, limit }: DueOptions,
): Promise<WatchedDomain[]> {
  const { rows } = await sql<WatchedDomain>`
    update domains d set last_checked_at = ${now}
    from (
      select id, last_checked_at as previous_check_at from domains
      where account_id in (
          select account_id from webhook_endpoints
          where 'domain.failing' = any (events) and disabled_at is null
        )
        and (last_checked_at is null or last_checked_at <= ${lastCheckedBefore}
          -- The domain failed for the first time in its last check.
          or (last_checked_at = failing_since and last_checked_at <= ${failedOnceBefore}))
      order by last_checked_at nulls first, id limit ${limit}
      for update skip locked
    ) due
    where d.id = due.id
    returning d.id, d.account_id, d.origin, d.failing_since, due.previous_check_at`.execute(db)
  return rows
}

/**
 * Stores the time since which a domain has been failing, or null. Returns whether the domain still
 * exists.
 */
export async function setFailingSince(tx: Tx | Db, id: number, since: Date | null) {
  const { numUpdatedRows } = await tx
    .updateTable('domains')
    .set({ failing_since: since })
    .where('id', '=', id)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}
