import { type Selectable, sql } from 'kysely'
import type { Db } from '../db/pool.ts'
import type { DomainTable } from '../db/schema/domains.ts'
import type { Tx } from '../db/transaction.ts'

/** A domain that is due for a check, with its last known state. */
export type WatchedDomain = Pick<
  Selectable<DomainTable>,
  'id' | 'account_id' | 'origin' | 'failing_since'
> & { previously_asked_at: Date | null }

type Due = {
  now: Date
  /** Domains last checked before this time are due. */
  before: Date
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
  { now, before, failedOnceBefore, limit }: Due,
): Promise<WatchedDomain[]> {
  const { rows } = await sql<WatchedDomain>`
    update domains d set asked_at = ${now}
    from (
      select id, asked_at as previously_asked_at from domains
      where account_id in (
          select account_id from webhook_endpoints
          where 'domain.failing' = any (events) and disabled_at is null
        )
        and (asked_at is null or asked_at <= ${before}
          or (asked_at = failing_since and asked_at <= ${failedOnceBefore}))
      order by asked_at nulls first, id limit ${limit}
      for update skip locked
    ) due
    where d.id = due.id
    returning d.id, d.account_id, d.origin, d.failing_since, due.previously_asked_at`.execute(db)
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
