import type { Task } from 'graphile-worker'
import PQueue from 'p-queue'
import type { Context } from '../../context.ts'
import type { Db } from '../../db/pool.ts'
import { inTransaction } from '../../db/transaction.ts'
import { addJob } from '../../jobs/job-queue.queries.ts'
import { createGuardedFetch } from '../../net/guarded-fetch.ts'
import { scopeOf } from '../../scope.ts'
import { publishBrokenLink } from '../link-events.ts'
import {
  type DueLink,
  readDueLinks,
  storeFailure,
  storePostponement,
  storeSuccess,
} from './link-check.queries.ts'
import { createHostThrottle, probeDestination } from './probe.ts'
import type { Verdict } from './verdict.ts'

const DAY_MS = 86_400_000
/**
 * The maximum number of links per slice, and per host within a slice. The latter prevents many
 * links to one host from delaying others.
 */
const MAX_LINKS = 500
const MAX_PER_HOST = 20
/** Hosts checked concurrently. */
const MAX_HOSTS = 50
/** The number of links per read, and of reads per slice. */
const PAGE_SIZE = 5000
const MAX_PAGES = 20

type Options = {
  /** Minimum milliseconds between two requests to a host. */
  hostEveryMs?: number
  timeoutMs?: number
  /** Milliseconds after which a slice starts no more checks. */
  sliceMs?: number
}

export type Slice = {
  /** The id after which the next slice starts, or 0 after the last link. */
  next: number
  /** Whether some due links were postponed. */
  hasPostponed: boolean
}

export type LinkChecker = ReturnType<typeof createLinkChecker>

/** Creates the checker of link destinations. Its results never affect visitors. */
export function createLinkChecker(
  ctx: Context,
  db: Db,
  { hostEveryMs = 1000, timeoutMs = 10_000, sliceMs = 60_000 }: Options = {},
) {
  const { clock, config, lookup } = ctx
  const fetch = createGuardedFetch({ allow: config.outboundAllow, ...(lookup && { lookup }) })
  const reserveSlot = createHostThrottle(hostEveryMs)

  /** Checks the due links in the slice that starts after an id. Stops early if aborted. */
  async function checkSlice(after: number, signal: AbortSignal): Promise<Slice> {
    const { hosts, next, hasSkipped } = await readSlice(after)
    const deadline = performance.now() + sliceMs
    const queue = new PQueue({ concurrency: MAX_HOSTS })
    let hasPostponed = hasSkipped
    await queue.addAll(
      [...hosts.values()].map((links) => async () => {
        for (const link of links) {
          if (signal.aborted || performance.now() > deadline) {
            hasPostponed = true
            return
          }
          await checkLink(link, signal)
        }
      }),
    )
    return { next, hasPostponed }
  }

  /** Reads due links, grouped by the host of their own destination. */
  async function readSlice(after: number) {
    const hosts = new Map<string, DueLink[]>()
    let count = 0
    let hasSkipped = false
    let last = after
    for (let page = 0; page < MAX_PAGES && count < MAX_LINKS; page += 1) {
      const batch = await readDueLinks(db, { after: last, limit: PAGE_SIZE, now: clock() })
      for (const link of batch.due) {
        const host = URL.parse(link.destinations[0] ?? '')?.hostname ?? ''
        const links = hosts.get(host) ?? []
        if (links.length >= MAX_PER_HOST) {
          hasSkipped = true
          continue
        }
        hosts.set(host, [...links, link])
        count += 1
        last = link.id
        if (count === MAX_LINKS) break
      }
      if (count === MAX_LINKS) break
      last = batch.last
      if (last === 0) break
    }
    return { hosts, next: last, hasSkipped }
  }

  async function checkLink(link: DueLink, signal: AbortSignal): Promise<void> {
    for (const [index, destination] of link.destinations.entries()) {
      const options = { fetch, reserveSlot, now: clock(), timeoutMs, signal }
      const verdict = await probeDestination(destination, options).catch((error: unknown) => {
        if (signal.aborted) return undefined
        throw error
      })
      if (!verdict) return
      const isLast = index === link.destinations.length - 1
      if (verdict.kind !== 'works' || isLast) return storeVerdict(link, destination, verdict)
    }
  }

  async function storeVerdict(link: DueLink, destination: string, verdict: Verdict): Promise<void> {
    const now = clock()
    const after = (delayMs: number) => new Date(now.getTime() + delayMs)
    const checked = { id: link.id, now, next: after(DAY_MS) }
    if (verdict.kind === 'works') return storeSuccess(db, checked)
    // A server that is unavailable twice in a row has failed, even if it says when it will be back.
    const isSecondDelay = verdict.kind === 'later' && link.wasPostponed
    if (verdict.kind === 'later' && !(isSecondDelay && verdict.problem)) {
      return storePostponement(db, { ...checked, next: after(verdict.delayMs) })
    }
    const { problem = 'server_error' } = verdict
    const failure = { ...checked, problem, destination, brokenSince: after(-DAY_MS) }
    await inTransaction(db, async (tx) => {
      const isNew = await storeFailure(tx, failure)
      if (isNew)
        await publishBrokenLink(scopeOf({ ...ctx, db: tx }, link.accountId), {
          id: link.id,
          problem,
          destination,
        })
    })
  }

  return { checkSlice, close: () => fetch.close() }
}

export const LINK_CHECK_TASK = 'check-links'

/** The id after which a slice starts, and whether earlier slices postponed due links. */
type Position = { after: number; hadPostponed: boolean }

/** Milliseconds until the next search for due links once all have been checked. */
const PAUSE_MS = 600_000
const MAX_ATTEMPTS = 25

/** Creates the task that checks a slice of links and schedules the next one. */
export function createLinkCheckTask(db: Db, checker: LinkChecker): Task {
  return async (payload, { abortSignal }) => {
    const { after = 0, hadPostponed = false } = payload as Partial<Position>
    const { next, hasPostponed } = await checker.checkSlice(after, abortSignal)
    const hasDueLinks = hadPostponed || hasPostponed
    const isEnd = next === 0
    await scheduleLinkCheck(
      db,
      { after: next, hadPostponed: hasDueLinks && !isEnd },
      isEnd && !hasDueLinks ? PAUSE_MS : 0,
    )
  }
}

/** Adds the job for a slice, replacing any pending one. Throws if the queue is full. */
export async function scheduleLinkCheck(
  db: Db,
  payload: Position = { after: 0, hadPostponed: false },
  delayMs = 0,
): Promise<void> {
  const job = { task: LINK_CHECK_TASK, key: LINK_CHECK_TASK, maxAttempts: MAX_ATTEMPTS }
  if (!(await addJob(db, { ...job, payload, delayMs }))) throw new Error('the job queue is full')
}
