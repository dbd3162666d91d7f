import { createLimit } from '../concurrency/limit.ts'
import { onceAMinute } from '../concurrency/memo.ts'
import { type PeriodicTask, repeat } from '../concurrency/repeat.ts'
import type { Context } from '../context.ts'
import type { Db } from '../db/pool.ts'
import { inTransaction } from '../db/transaction.ts'
import { AppError } from '../errors.ts'
import { createGuardedFetch } from '../net/guarded-fetch.ts'
import { OutboundError } from '../net/outbound-error.ts'
import { type AttemptResult, evaluateAttempt } from './attempt.ts'
import {
  type ClaimedDelivery,
  claimDeliveries,
  recordAttempt,
  releaseDelivery,
} from './delivery.queries.ts'
import { deleteOldMessages } from './queue.queries.ts'
import { createSignedHeaders } from './sign.ts'

export type DeliveryWorker = ReturnType<typeof createDeliveryWorker>

export type DeliveryOptions = {
  /** Milliseconds within which an endpoint must respond. */
  timeoutMs?: number
  /** Milliseconds after which an attempt counts as slow. */
  slowAfterMs?: number
}

/**
 * The maximum numbers of concurrent messages. Endpoints whose last attempt failed or was slow share
 * `limited`. All others share `prompt`. An attempt that turns out to be slow frees its slot in
 * `prompt`. The slots beyond both limits are reserved for such attempts, so that unknown endpoints
 * cannot block responsive ones.
 */
const SLOTS = { prompt: 32, limited: 16 } as const
const MAX_IN_FLIGHT = 128
/** The maximum per account, so that a fast endpoint need not wait for a slow one. */
const MAX_IN_FLIGHT_PER_ACCOUNT = 2
/** Longer than an attempt and its queries may take. */
const LEASE_MS = 120_000
/**
 * Longer than all retries of a message, even with the longest delays that endpoints may request.
 */
const RETENTION_MS = 14 * 86_400_000
const POLL_MS = 1000
const CLEANUP_INTERVAL_MS = 3_600_000

type ActiveDelivery = {
  accountId: number
  isLimited: boolean
  startedAt: number
  done: Promise<void>
}

/**
 * Sends queued messages, and runs `periodicTasks`, which queue messages. Safe to run in several
 * processes. A slow or failing endpoint occupies one of a few slots during an attempt and is then
 * paused.
 */
export function createDeliveryWorker(
  { clock, config, log, lookup }: Context,
  db: Db,
  periodicTasks: readonly PeriodicTask[],
  { timeoutMs = 15_000, slowAfterMs = 1000 }: DeliveryOptions = {},
) {
  const outbound = createGuardedFetch({
    allow: config.outboundAllow,
    timeoutMs,
    maxConcurrent: MAX_IN_FLIGHT,
    maxConcurrentPerAccount: MAX_IN_FLIGHT_PER_ACCOUNT,
    ...(lookup && { lookup }),
  })
  const activeDeliveries = new Set<ActiveDelivery>()
  // Many attempts may end at the same time. Waiting for a connection has a timeout, but waiting in
  // this queue does not.
  const recording = createLimit({ maxRunning: 2, maxWaiting: MAX_IN_FLIGHT })
  const stopping = new AbortController()
  let running: Promise<void> | undefined
  let slotFreed = Promise.withResolvers<void>()

  /** Starts sending the messages that are due. Returns their number. */
  async function startDue(): Promise<number> {
    const prompt = await startInPool(false)
    return prompt + (await startInPool(true))
  }

  async function startInPool(isLimited: boolean): Promise<number> {
    const poolDeliveries = [...activeDeliveries].filter((active) => active.isLimited === isLimited)
    const occupied = isLimited
      ? poolDeliveries
      : poolDeliveries.filter(({ startedAt }) => !isSlow(startedAt))
    const slots = isLimited ? SLOTS.limited : SLOTS.prompt
    const limit = Math.min(slots - occupied.length, MAX_IN_FLIGHT - activeDeliveries.size)
    if (limit <= 0) return 0
    const now = clock()
    const claimed = await claimDeliveries(db, {
      now,
      until: new Date(now.getTime() + LEASE_MS),
      limit,
      isLimited,
      skippedAccounts: poolDeliveries.map(({ accountId }) => accountId),
    })
    for (const each of claimed) startDelivery(each, isLimited)
    return claimed.length
  }

  function startDelivery(claimed: ClaimedDelivery, isLimited: boolean): void {
    const startedAt = performance.now()
    const done = deliver(claimed, startedAt)
      .catch((error) => log({ err: error }, 'a webhook message was not sent'))
      .finally(() => {
        activeDeliveries.delete(active)
        slotFreed.resolve()
      })
    const active = { accountId: claimed.account_id, isLimited, startedAt, done }
    activeDeliveries.add(active)
  }

  function isSlow(startedAt: number): boolean {
    return performance.now() - startedAt >= slowAfterMs
  }

  async function deliver(claimed: ClaimedDelivery, startedAt: number): Promise<void> {
    const result = await send(claimed)
    if (!result || stopping.signal.aborted) return releaseDelivery(db, claimed.id, clock())
    const evaluated = { ...result, isSlow: isSlow(startedAt) }
    const { delivery, endpoint } = evaluateAttempt(claimed, evaluated, clock(), Math.random())
    await recording.run(() =>
      inTransaction(db, (tx) => recordAttempt(tx, claimed, delivery, endpoint)),
    )
  }

  /** Sends a message. Returns undefined if the outbound queue is full. */
  async function send(claimed: ClaimedDelivery): Promise<AttemptResult | undefined> {
    const { id, account_id: account, url, secret, old_secret, type, data, created_at } = claimed
    const body = JSON.stringify({ type, timestamp: created_at.toISOString(), data })
    const timestamp = Math.floor(clock().getTime() / 1000)
    const secrets = old_secret === null ? [secret] : [secret, old_secret]
    const signed = createSignedHeaders(secrets, { id: `msg_${id}`, timestamp, body })
    const headers = { 'content-type': 'application/json', ...signed }
    try {
      return await outbound.post(url, body, { account, headers })
    } catch (error) {
      if (error instanceof OutboundError) return { problem: error.reason }
      if (error instanceof AppError) return undefined
      throw error
    }
  }

  async function sendDue(): Promise<void> {
    slotFreed = Promise.withResolvers()
    await startDue()
  }

  function deleteOld(): Promise<void> {
    return deleteOldMessages(db, new Date(clock().getTime() - RETENTION_MS))
  }

  async function loop(): Promise<void> {
    const logFailure = (line: string) => onceAMinute((error: unknown) => log({ err: error }, line))
    const onFailure = logFailure('webhooks cannot be sent, trying again')
    const options = { signal: stopping.signal, onFailure }
    const waitForWakeUp = () => slotFreed.promise
    await Promise.all([
      ...periodicTasks.map(({ failure, ...task }) =>
        repeat(task, { ...options, onFailure: failure ? logFailure(failure) : onFailure }),
      ),
      repeat({ intervalMs: CLEANUP_INTERVAL_MS, work: deleteOld }, options),
      repeat({ intervalMs: POLL_MS, work: sendDue }, { ...options, waitForWakeUp }),
    ])
    await waitForDeliveries()
  }

  async function waitForDeliveries(): Promise<void> {
    await Promise.all(activeDeliveries.values().map(({ done }) => done))
  }

  return {
    /** Sends messages until `stop` is called. Never rejects. */
    run(): void {
      running ??= loop()
    },

    /** Sends all messages that are due now. Resolves when all attempts have ended. */
    async drain(): Promise<void> {
      await deleteOld()
      for (const { work } of periodicTasks) await work(stopping.signal)
      while ((await startDue()) > 0 || activeDeliveries.size > 0) await waitForDeliveries()
    },

    /** Aborts the attempts in progress. The next process repeats them. */
    async stop(): Promise<void> {
      stopping.abort()
      outbound.close()
      await running
    },
  }
}
