import { setTimeout as sleep } from 'node:timers/promises'
import {
  type ClickScope,
  countClicksOfAccount,
  readRecentVisitors,
  sumTotals,
} from '../clicks/read.ts'
import type { Clock } from '../clock.ts'
import type { FairQueue } from '../concurrency/fair-queue.ts'
import type { PublishedClicks } from '../db/notify.ts'
import type { Db } from '../db/pool.ts'
import { AppError } from '../errors.ts'
import { followAccount } from './publish-clicks.ts'

/** The maximum number of visitors in a window, which take about 6 MB. */
const MAX_VISITORS = 100_000

type RecentVisitors = ReturnType<typeof createRecentVisitors>

/** The total number of clicks, and the number of visitors in the last five minutes if known. */
export type LiveStatistics = { clicks: number; visitors: number | undefined }

type Context = { clock: Clock; rawReads: FairQueue }

type Follower = {
  scope: ClickScope
  linkIds: ReadonlySet<number> | undefined
  visitors: RecentVisitors
  /** Whether clicks have arrived since the statistics were read. */
  hasNewClicks: boolean
  wake: () => void
}

type FollowOptions = {
  scope: ClickScope
  signal: AbortSignal
  /** Called before each event and heartbeat. If it does not resolve to true, the feed ends. */
  isAllowed: () => Promise<boolean>
}

const WINDOW_MS = 5 * 60_000
/**
 * The maximum number of raw clicks to read in order to find the visitors of the last five minutes.
 */
const MAX_RAW_CLICKS = 250_000
/** The minimum number of milliseconds between two updates, however many clicks arrive. */
const MIN_INTERVAL_MS = 1000
const HEARTBEAT_MS = 10_000
/** The number of seconds for which clicks are still published after the last heartbeat. */
const FOLLOW_SECONDS = 60

const MAX_FOLLOWERS = 500
const MAX_FOLLOWERS_PER_ACCOUNT = 20
const RETRY_AFTER_SECONDS = 60

/**
 * Creates the feed of live statistics for open pages. Each process has one. It receives the clicks
 * that importers on all machines publish. Without notifications, it finds new clicks at the next
 * heartbeat.
 */
export function createLiveFeed(
  { clock, rawReads }: Context,
  db: Db,
  { heartbeatMs = HEARTBEAT_MS }: { heartbeatMs?: number | undefined } = {},
) {
  const followers = new Map<number, Set<Follower>>()
  const closing = new AbortController()
  let count = 0

  /**
   * Yields the statistics of a scope whenever they change, and undefined for a heartbeat. Ends when
   * `signal` aborts, when `isAllowed` does not resolve to true, or when the process shuts down.
   *
   * @throws AppError `busy` immediately if too many pages are open
   */
  function follow(options: FollowOptions): AsyncGenerator<LiveStatistics | undefined, void> {
    const { accountId, linkIds } = options.scope
    const accountFollowers = followers.get(accountId) ?? new Set()
    if (closing.signal.aborted || count >= MAX_FOLLOWERS)
      throw createTooManyPagesError('rejections.pages_open')
    if (accountFollowers.size >= MAX_FOLLOWERS_PER_ACCOUNT) {
      throw createTooManyPagesError('rejections.pages_open_in_account')
    }
    const follower: Follower = {
      scope: options.scope,
      linkIds: linkIds && new Set(linkIds),
      visitors: createRecentVisitors(WINDOW_MS),
      hasNewClicks: false,
      wake: () => {},
    }
    followers.set(accountId, accountFollowers.add(follower))
    count += 1
    return run(follower, options, () => {
      accountFollowers.delete(follower)
      if (accountFollowers.size === 0) followers.delete(accountId)
      count -= 1
    })
  }

  async function* run(
    follower: Follower,
    { scope, signal: callerSignal, isAllowed }: FollowOptions,
    onEnd: () => void,
  ): AsyncGenerator<LiveStatistics | undefined, void> {
    const signal = AbortSignal.any([callerSignal, closing.signal])
    try {
      await followAccount({ ...scope, db }, FOLLOW_SECONDS)
      const knownFrom = await loadRecentVisitors(follower)
      let lastStatistics: LiveStatistics | undefined
      let heartbeatAt = performance.now() + heartbeatMs
      while (!signal.aborted) {
        follower.hasNewClicks = false
        const now = clock().getTime()
        const visitors = now >= knownFrom ? follower.visitors.count(now) : undefined
        const statistics = { clicks: await countClicks(scope), visitors }
        if (statistics.clicks !== lastStatistics?.clicks || visitors !== lastStatistics.visitors) {
          if (lastStatistics && !(await isAllowed())) return
          yield statistics
        }
        lastStatistics = statistics
        await sleep(MIN_INTERVAL_MS, undefined, { signal })
        await waitForClick(follower, heartbeatAt - performance.now(), signal)
        if (performance.now() < heartbeatAt) continue
        heartbeatAt = performance.now() + heartbeatMs
        if (!(await isAllowed())) return
        await followAccount({ ...scope, db }, FOLLOW_SECONDS)
        yield undefined
      }
    } catch (error) {
      if (!signal.aborted) throw error
    } finally {
      onEnd()
    }
  }

  /**
   * Adds the visitors of the last five minutes. Returns the time from which `visitors` is complete:
   * if too many other reads are waiting, that is five minutes later.
   */
  async function loadRecentVisitors({ scope, visitors }: Follower): Promise<number> {
    const until = clock().getTime()
    const range = { since: until - WINDOW_MS, until, maxClicks: MAX_RAW_CLICKS }
    const recentClicks = await readRecentVisitors({ rawReads }, db, scope, range).catch((error) => {
      if (error instanceof AppError && error.code === 'busy') return undefined
      throw error
    })
    for (const [visitor, at] of recentClicks ?? []) visitors.add(visitor, at)
    return recentClicks ? until : until + WINDOW_MS
  }

  async function countClicks({ accountId, linkIds }: ClickScope): Promise<number> {
    return linkIds ? (await sumTotals(db, linkIds)).clicks : countClicksOfAccount({ db, accountId })
  }

  return {
    follow,

    /** Receives clicks that an importer has published. */
    receive({ accountId, clicks }: PublishedClicks): void {
      for (const follower of followers.get(accountId) ?? []) addClicks(follower, clicks)
    },

    /** Ends all feeds and rejects new ones. */
    close: () => closing.abort(),
  }
}

/** Adds published clicks. Each consists of three numbers: link, visitor and Unix time. */
function addClicks(follower: Follower, clicks: readonly number[]): void {
  for (let index = 0; index < clicks.length; index += 3) {
    const [linkId = 0, visitor = 0, seconds = 0] = clicks.slice(index, index + 3)
    if (follower.linkIds && !follower.linkIds.has(linkId)) continue
    follower.visitors.add(visitor, seconds * 1000)
    follower.hasNewClicks = true
  }
  if (follower.hasNewClicks) follower.wake()
}

/** Resolves when clicks have arrived for the follower, after `maxMs`, or when `signal` aborts. */
async function waitForClick(follower: Follower, maxMs: number, signal: AbortSignal): Promise<void> {
  if (follower.hasNewClicks || maxMs <= 0) return
  const wakeController = new AbortController()
  follower.wake = () => wakeController.abort()
  await sleep(maxMs, undefined, { signal: AbortSignal.any([signal, wakeController.signal]) }).catch(
    () => {},
  )
}

function createTooManyPagesError(text: `rejections.pages_open${'' | '_in_account'}`): AppError {
  return new AppError('busy', { text, retryAfter: RETRY_AFTER_SECONDS })
}

/** Creates a window that counts the visitors of the last `lengthMs` milliseconds. */
function createRecentVisitors(lengthMs: number) {
  /** Visitors with the time of their last click, roughly in that order. */
  const lastClicks = new Map<number, number>()

  return {
    /** Adds a click of a visitor at a time (in milliseconds since 1970). */
    add(visitor: number, at: number): void {
      const previous = lastClicks.get(visitor) ?? at
      lastClicks.delete(visitor)
      lastClicks.set(visitor, Math.max(previous, at))
      if (lastClicks.size > MAX_VISITORS)
        lastClicks.delete(lastClicks.keys().next().value as number)
    },

    /** Returns the number of visitors in the window that ends now. */
    count(now: number): number {
      let count = 0
      for (const [visitor, at] of lastClicks) {
        if (at <= now - lengthMs) lastClicks.delete(visitor)
        else count += 1
      }
      return count
    },
  }
}
