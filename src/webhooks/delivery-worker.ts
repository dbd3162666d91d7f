import { setTimeout as sleep } from 'node:timers/promises'
import { createLimit } from '../concurrency/limit.ts'
import type { Context } from '../context.ts'
import type { Db } from '../db/pool.ts'
import { inTransaction } from '../db/transaction.ts'
import { AppError } from '../errors.ts'
import { createGuardedFetch } from '../net/guarded-fetch.ts'
import { OutboundError } from '../net/outbound-error.ts'
import { judge, type Result } from './attempt.ts'
import {
  type Claimed,
  claimDeliveries,
  recordAttempt,
  unclaimDelivery,
} from './delivery.queries.ts'
import { deleteOldMessages } from './queue.queries.ts'
import { signedHeaders } from './sign.ts'

export type DeliveryWorker = ReturnType<typeof createDeliveryWorker>

export type DeliveryOptions = {
  /** Milliseconds that an endpoint has to respond. */
  timeoutMs?: number
  /** Milliseconds after which an attempt counts as slow. */
  slowAfterMs?: number
}

/**
 * Limits on concurrent messages. Endpoints whose last attempt failed or was slow share `limited`.
 * All others share `prompt`, where an attempt that turns out to be slow frees its slot. The
 * remaining slots are for such attempts, so that unknown endpoints cannot block responsive ones.
 */
const SLOTS = { prompt: 32, limited: 16 } as const
const MAX_IN_FLIGHT = 128
/** Per account, so that a fast endpoint need not wait for a slow one. */
const MAX_IN_FLIGHT_PER_ACCOUNT = 2
/** Longer than an attempt and its statements may take. */
const LEASE_MS = 120_000
/** Longer than all retries of a message, with the longest delays that endpoints may request. */
const RETENTION_MS = 14 * 86_400_000
const POLL_MS = 1000
const CLEANUP_INTERVAL_MS = 3_600_000

type Flight = { accountId: number; limited: boolean; startedAt: number; done: Promise<void> }

/**
 * Sends queued messages, and runs `periodicTasks`, which queue messages. Safe to run in several
 * processes. A slow or failing endpoint uses one of few slots for the duration of an attempt and is
 * then paused.
 */
export function createDeliveryWorker(
  { clock, config, log, lookup }: Context,
  db: Db,
  periodicTasks: readonly (() => Promise<void>)[],
  { timeoutMs = 15_000, slowAfterMs = 1000 }: DeliveryOptions = {},
) {
  const outbound = createGuardedFetch({
    ...{ allow: config.outboundAllow, timeoutMs },
    ...{ maxConcurrent: MAX_IN_FLIGHT, maxConcurrentPerAccount: MAX_IN_FLIGHT_PER_ACCOUNT },
    ...(lookup && { lookup }),
  })
  const flights = new Set<Flight>()
  // Many attempts may end at once, and waiting for a connection is limited in time, while waiting
  // in this queue is not.
  const recording = createLimit({ maxRunning: 2, maxWaiting: MAX_IN_FLIGHT })
  const stopping = new AbortController()
  let running: Promise<void> | undefined
  let landed = Promise.withResolvers<void>()
  let cleanedUpAt = -Infinity

  /** Starts sending what is due. Returns the number of messages. */
  async function start(): Promise<number> {
    const prompt = await startSome(false)
    return prompt + (await startSome(true))
  }

  async function startSome(limited: boolean): Promise<number> {
    const own = [...flights].filter((flight) => flight.limited === limited)
    const held = limited ? own : own.filter(({ startedAt }) => !isSlow(startedAt))
    const slots = limited ? SLOTS.limited : SLOTS.prompt
    const limit = Math.min(slots - held.length, MAX_IN_FLIGHT - flights.size)
    if (limit <= 0) return 0
    const now = clock()
    const claimed = await claimDeliveries(db, {
      ...{ now, until: new Date(now.getTime() + LEASE_MS), limit, limited },
      busy: own.map(({ accountId }) => accountId),
    })
    for (const each of claimed) takeOff(each, limited)
    return claimed.length
  }

  function takeOff(claimed: Claimed, limited: boolean): void {
    const startedAt = performance.now()
    const done = deliver(claimed, startedAt)
      .catch((error) => log({ err: error }, 'a webhook message was not sent'))
      .finally(() => {
        flights.delete(flight)
        landed.resolve()
      })
    const flight = { accountId: claimed.account_id, limited, startedAt, done }
    flights.add(flight)
  }

  function isSlow(startedAt: number): boolean {
    return performance.now() - startedAt >= slowAfterMs
  }

  async function deliver(claimed: Claimed, startedAt: number): Promise<void> {
    const result = await send(claimed)
    if (!result || stopping.signal.aborted) return unclaimDelivery(db, claimed.id, clock())
    const answer = { ...result, isSlow: isSlow(startedAt) }
    const { delivery, endpoint } = judge(claimed, answer, clock(), Math.random())
    await recording.run(() =>
      inTransaction(db, (tx) => recordAttempt(tx, claimed, delivery, endpoint)),
    )
  }

  /** Returns undefined if the outbound queue was full. */
  async function send(claimed: Claimed): Promise<Result | undefined> {
    const { id, account_id: account, url, secret, old_secret, type, data, created_at } = claimed
    const body = JSON.stringify({ type, timestamp: created_at.toISOString(), data })
    const timestamp = Math.floor(clock().getTime() / 1000)
    const secrets = old_secret === null ? [secret] : [secret, old_secret]
    const signed = signedHeaders(secrets, { id: `msg_${id}`, timestamp, body })
    const headers = { 'content-type': 'application/json', ...signed }
    try {
      return await outbound.post(url, body, { account, headers })
    } catch (error) {
      if (error instanceof OutboundError) return { problem: error.message }
      if (error instanceof AppError) return undefined
      throw error
    }
  }

  /** Runs separately from sending, which must not wait for it. */
  async function prepare(): Promise<void> {
    for (const task of periodicTasks) await task()
    if (performance.now() - cleanedUpAt < CLEANUP_INTERVAL_MS) return
    await deleteOldMessages(db, new Date(clock().getTime() - RETENTION_MS))
    cleanedUpAt = performance.now()
  }

  async function sendDue(): Promise<void> {
    landed = Promise.withResolvers()
    await start()
  }

  /** Repeats work until the worker stops: every second, or when `woken` resolves. */
  async function repeat(work: () => Promise<void>, woken?: () => Promise<void>): Promise<void> {
    let failures = 0
    while (!stopping.signal.aborted) {
      try {
        await work()
        failures = 0
      } catch (error) {
        if (failures === 0) log({ err: error }, 'webhooks cannot be sent, trying again')
        failures += 1
      }
      const rest = new AbortController()
      const signal = AbortSignal.any([rest.signal, stopping.signal])
      const rested = sleep(POLL_MS, undefined, { signal }).catch(() => {})
      await (woken ? Promise.race([woken(), rested]) : rested)
      rest.abort()
    }
  }

  async function loop(): Promise<void> {
    await Promise.all([repeat(prepare), repeat(sendDue, () => landed.promise)])
    await landings()
  }

  async function landings(): Promise<void> {
    await Promise.all(flights.values().map(({ done }) => done))
  }

  return {
    /** Sends messages until `stop` is called. Never rejects. */
    run(): void {
      running ??= loop()
    },

    /** Sends everything due now. Resolves when all attempts have ended. */
    async drain(): Promise<void> {
      await deleteOldMessages(db, new Date(clock().getTime() - RETENTION_MS))
      for (const task of periodicTasks) await task()
      while ((await start()) > 0 || flights.size > 0) await landings()
    },

    /** Aborts attempts in progress. They are repeated when the next process starts. */
    async stop(): Promise<void> {
      stopping.abort()
      outbound.close()
      await running
    },
  }
}
