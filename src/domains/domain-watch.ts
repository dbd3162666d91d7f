import { setTimeout as sleep } from 'node:timers/promises'
import type { InstanceContext } from '../context.ts'
import type { Db } from '../db/pool.ts'
import { inTransaction } from '../db/transaction.ts'
import { AppError } from '../errors.ts'
import { verifyDomain } from './domain-proof.ts'
import { claimDomains, setFailingSince, type WatchedDomain } from './domain-watch.queries.ts'

const CHECK_EVERY_MS = 3_600_000
/** Milliseconds until the check that follows a first failure. */
const RECHECK_AFTER_MS = 600_000
/** The number of domains that are checked concurrently. */
const BATCH_SIZE = 4
const POLL_MS = 30_000

/**
 * Checks hourly whether branded domains still point here, for accounts that subscribe to
 * `domain.failing`. A domain that fails is checked again after ten minutes, because DNS or a server
 * may be down briefly. If it fails again, its owner is notified once per outage.
 */
export function createDomainWatch(ctx: InstanceContext, db: Db) {
  const { clock, outbox, log } = ctx
  const stopping = new AbortController()
  let running: Promise<void> | undefined

  /** Checks the domains that are due. */
  async function check(): Promise<void> {
    const now = clock()
    const ago = (milliseconds: number) => new Date(now.getTime() - milliseconds)
    const due = await claimDomains(db, {
      now,
      lastCheckedBefore: ago(CHECK_EVERY_MS),
      failedOnceBefore: ago(RECHECK_AFTER_MS),
      limit: BATCH_SIZE,
    })
    await Promise.all(due.map((domain) => checkDomain(domain, now)))
    if (due.length === BATCH_SIZE && !stopping.signal.aborted) await check()
  }

  async function checkDomain(domain: WatchedDomain, now: Date): Promise<void> {
    const pointsHere = await checkPointsHere(domain)
    if (pointsHere === undefined) return
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
        await outbox.queueEvents(tx, accountId, 'domain.failing', [event])
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
      const { pointsHere } = await verifyDomain(ctx, account_id, origin)
      // An aborted check proves nothing either.
      return stopping.signal.aborted ? undefined : pointsHere
    } catch (error) {
      if (error instanceof AppError) return undefined
      throw error
    }
  }

  async function loop(): Promise<void> {
    const { signal } = stopping
    while (!signal.aborted) {
      await check().catch((error: unknown) => {
        log({ err: error }, 'domains cannot be checked, retrying')
      })
      await sleep(POLL_MS, undefined, { signal }).catch(() => {})
    }
  }

  return {
    check,

    /** Checks domains until `stop` is called. Never rejects. */
    run(): void {
      running ??= loop()
    },

    async stop(): Promise<void> {
      stopping.abort()
      await running
    },
  }
}
