import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../clock.ts'
import type { Db } from '../db/pool.ts'
import { inTransaction } from '../db/transaction.ts'
import { AppError } from '../errors.ts'
import type { Outbox } from '../webhooks/outbox.ts'
import type { ProveDomain } from './domain-proof.ts'
import { claimDomains, setFailingSince, type WatchedDomain } from './domain-watch.queries.ts'

export type DomainWatch = ReturnType<typeof createDomainWatch>

type Dependencies = {
  db: Db
  clock: Clock
  outbox: Pick<Outbox, 'put'>
  proveDomain: ProveDomain
  log: { warn: (details: object, text: string) => void }
}

/** Milliseconds between two questions to a domain, and to one that has just failed for the first time. */
const ASK_EVERY = 3_600_000
const ASK_AGAIN = 600_000
/** Asked at once. */
const MOST = 4
/** Milliseconds between looks for domains that are due. */
const REST = 30_000

/**
 * Asks the branded domains of those who want to be told whether they still lead here, once an hour. A
 * domain that fails is asked again ten minutes later, as names and machines may be away for a moment;
 * if it fails again its owner is told, once, until it has been right in between.
 */
export function createDomainWatch({ db, clock, outbox, proveDomain, log }: Dependencies) {
  const stopping = new AbortController()
  let running: Promise<void> | undefined

  /** Asks the domains that are due. */
  async function look(): Promise<void> {
    const now = clock()
    const ago = (milliseconds: number) => new Date(now.getTime() - milliseconds)
    const due = await claimDomains(db, {
      ...{ now, before: ago(ASK_EVERY), doubtedBefore: ago(ASK_AGAIN), most: MOST },
    })
    await Promise.all(due.map((domain) => ask(domain, now)))
    if (due.length === MOST && !stopping.signal.aborted) await look()
  }

  async function ask(domain: WatchedDomain, now: Date): Promise<void> {
    const leadsHere = await doesLeadHere(domain)
    if (leadsHere === undefined) return
    const { id, account_id: accountId, origin, failing_since: since, asked_before } = domain
    if (leadsHere) {
      if (since) await setFailingSince(db, id, null)
      return
    }
    if (!since) {
      await setFailingSince(db, id, now)
      return
    }
    // Told of when it failed the second time in a row.
    if (asked_before?.getTime() !== since.getTime()) return
    const told = { id, domain: origin, failingSince: since.toISOString() }
    await inTransaction(db, async (tx) => {
      if (await setFailingSince(tx, id, since)) {
        await outbox.put(tx, accountId, 'domain.failing', [told])
      }
    })
  }

  /** Undefined where it could not be asked, which says nothing about the domain. */
  async function doesLeadHere({ account_id, origin }: WatchedDomain): Promise<boolean | undefined> {
    try {
      const { pointsHere } = await proveDomain(account_id, origin)
      // A question that was broken off says nothing either.
      return stopping.signal.aborted ? undefined : pointsHere
    } catch (error) {
      if (error instanceof AppError) return undefined
      throw error
    }
  }

  async function loop(): Promise<void> {
    const { signal } = stopping
    while (!signal.aborted) {
      await look().catch((error: unknown) => {
        log.warn({ err: error }, 'domains cannot be asked, trying again')
      })
      await sleep(REST, undefined, { signal }).catch(() => {})
    }
  }

  return {
    look,

    /** Looks until `stop` is called; never rejects. */
    run(): void {
      running ??= loop()
    },

    async stop(): Promise<void> {
      stopping.abort()
      await running
    },
  }
}
