import { type Selectable, sql } from 'kysely'
import type { PeriodicTask } from '../concurrency/repeat.ts'
import type { InstanceContext } from '../context.ts'
import type { Db } from '../db/pool.ts'
import type { Domains } from '../db/tables.generated.ts'
import { inTransaction, type Tx } from '../db/transaction.ts'
import { AppError } from '../errors.ts'
import { verifyDomain } from './domain-proof.ts'

/** A domain that is due for a check, with its last known state. */
type WatchedDomain = Pick<Selectable<Domains>, 'id' | 'account_id' | 'origin' | 'failing_since'> & {
  previous_check_at: Date | null
}

type DueOptions = {
  now: Date
  /** Domains that were last checked before this time are due. */
  lastCheckedBefore: Date
  /** Domains that have failed once are due if they were last checked before this time. */
  failedOnceBefore: Date
  limit: number
}

const CHECK_EVERY_MS = 3_600_000
/** Milliseconds until the check that follows a first failure. */
const RECHECK_AFTER_MS = 600_000
/** The number of domains that are checked concurrently. */
const BATCH_SIZE = 4
const POLL_MS = 30_000

/**
 * Creates the task that checks hourly whether branded domains still point here, for accounts that
 * subscribe to `domain.failing`. A domain that fails is checked again after ten minutes, because DNS
 * or a server may be down briefly. If it fails again, its owner is notified once per outage.
 */
export function createDomainWatch(ctx: InstanceContext, db: Db): PeriodicTask {
  const { clock, outbox } = ctx

  /** Checks the domains that are due. */
  async function check(signal: AbortSignal): Promise<void> {
    const now = clock()
    const ago = (milliseconds: number) => new Date(now.getTime() - milliseconds)
    const due = await claimDomains(db, {
      now,
      lastCheckedBefore: ago(CHECK_EVERY_MS),
      failedOnceBefore: ago(RECHECK_AFTER_MS),
      limit: BATCH_SIZE,
    })
    await Promise.all(due.map((domain) => checkDomain(domain, now, signal)))
    if (due.length === BATCH_SIZE && !signal.aborted) await check(signal)
  }

  async function checkDomain(domain: WatchedDomain, now: Date, signal: AbortSignal): Promise<void> {
    const pointsHere = await checkPointsHere(domain)
    // An aborted check proves nothing.
    if (pointsHere === undefined || signal.aborted) return
    const {
      id,
      account_id: accountId,
      origin,
      failing_since: since,
      previous_check_at: previousCheckAt,
    } = domain
    if (pointsHere) {
      if (since) await setFailingSince(db, id, null)
      return
    }
    if (!since) {
      await setFailingSince(db, id, now)
      return
    }
    // Only notifies on the second failure in a row.
    if (previousCheckAt?.getTime() !== since.getTime()) return
    const event = { id, domain: origin, failingSince: since.toISOString() }
    await inTransaction(db, async (tx) => {
      if (await setFailingSince(tx, id, since)) {
        await outbox.queueEvents({ db: tx, accountId }, 'domain.failing', [event])
      }
    })
  }

  /**
   * Returns whether a domain points here, or undefined if the check itself failed, which proves
   * nothing about the domain.
   */
  async function checkPointsHere({
    account_id,
    origin,
  }: WatchedDomain): Promise<boolean | undefined> {
    try {
      return (await verifyDomain(ctx, account_id, origin)).pointsHere
    } catch (error) {
      if (error instanceof AppError) return undefined
      throw error
    }
  }

  return { intervalMs: POLL_MS, work: check, failure: 'domains cannot be checked, retrying' }
}

/**
 * Claims domains that are due for a check, so that no other process checks them. Includes only
 * domains of accounts that subscribe to `domain.failing`.
 */
async function claimDomains(
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
async function setFailingSince(tx: Tx | Db, id: number, since: Date | null) {
  const { numUpdatedRows } = await tx
    .updateTable('domains')
    .set({ failing_since: since })
    .where('id', '=', id)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}
