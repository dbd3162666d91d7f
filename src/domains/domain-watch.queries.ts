import { type Selectable, sql } from 'kysely'
import type { Db } from '../db/pool.ts'
import type { DomainTable } from '../db/schema/domains.ts'
import type { Tx } from '../db/transaction.ts'

/** A domain that is to be asked now, with what was known before. */
export type WatchedDomain = Pick<
  Selectable<DomainTable>,
  'id' | 'account_id' | 'origin' | 'failing_since'
> & { asked_before: Date | null }

type Due = {
  now: Date
  /** Asked last before this. */
  before: Date
  /** The same for one that failed when it was last asked, and not before. */
  doubtedBefore: Date
  most: number
}

/**
 * Takes domains that are due, of accounts that want to be told of them, so that no other process asks
 * them as well.
 */
export async function claimDomains(
  db: Db,
  { now, before, doubtedBefore, most }: Due,
): Promise<WatchedDomain[]> {
  const { rows } = await sql<WatchedDomain>`
    update domains d set asked_at = ${now}
    from (
      select id, asked_at as asked_before from domains
      where account_id in (
          select account_id from webhook_endpoints
          where 'domain.failing' = any (events) and disabled_at is null
        )
        and (asked_at is null or asked_at <= ${before}
          or (asked_at = failing_since and asked_at <= ${doubtedBefore}))
      order by asked_at nulls first, id limit ${most}
      for update skip locked
    ) due
    where d.id = due.id
    returning d.id, d.account_id, d.origin, d.failing_since, due.asked_before`.execute(db)
  return rows
}

/** Notes since when a domain fails, or that it does not; gives whether it is still there. */
export async function setFailingSince(tx: Tx | Db, id: number, since: Date | null) {
  const { numUpdatedRows } = await tx
    .updateTable('domains')
    .set({ failing_since: since })
    .where('id', '=', id)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}
