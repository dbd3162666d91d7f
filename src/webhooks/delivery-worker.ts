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
  /** How long an endpoint has to answer. */
  timeoutMs?: number
  /** How long an attempt may take before it counts as slow. */
  slowAfterMs?: number
}

/**
 * Messages on their way at once. Endpoints whose last attempt failed or was slow share `limited`; the
 * others share `prompt`, where an attempt gives its slot back as soon as it turns out to be slow. The
 * rest is for such attempts, so that endpoints nobody knows yet cannot hold up those that answer.
 */
const SLOTS = { prompt: 32, limited: 16 } as const
const MAX_IN_FLIGHT = 128
/** Of one account: a prompt endpoint does not wait for its slow neighbor. */
const MAX_IN_FLIGHT_PER_ACCOUNT = 2
/** Longer than an attempt may take, with its statements. */
const LEASE_MS = 120_000
/** Longer than a message is retried, with the longest waits that endpoints may ask for. */
const KEPT_MS = 14 * 86_400_000
const POLL_MS = 1000
const CLEAN_UP_EVERY_MS = 3_600_000

type Flight = { accountId: number; limited: boolean; startedAt: number; done: Promise<void> }

/**
 * Sends queued messages, and runs `periodicTasks`, which queue some. Safe to run in several processes. An
 * endpoint that is slow, down or hostile takes one of few slots for as long as an attempt may last, and
 * then pauses.
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
  // Many attempts may end at once, and a connection is not waited for as long as a turn.
  const recording = createLimit({ maxRunning: 2, maxWaiting: MAX_IN_FLIGHT })
  const stopping = new AbortController()
  let running: Promise<void> | undefined
  let landed = Promise.withResolvers<void>()
  let cleanedUpAt = -Infinity

  /** Begins to send what is due, and gives how many messages that were. */
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

  /** Undefined if there was no room to try. */
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

  /** Apart from sending, for which nobody should wait until all the work for others is done. */
  async function prepare(): Promise<void> {
    for (const task of periodicTasks) await task()
    if (performance.now() - cleanedUpAt < CLEAN_UP_EVERY_MS) return
    await deleteOldMessages(db, new Date(clock().getTime() - KEPT_MS))
    cleanedUpAt = performance.now()
  }

  async function sendDue(): Promise<void> {
    landed = Promise.withResolvers()
    await start()
  }

  /** Repeats work until the worker is stopped: every second, or when `woken` resolves. */
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
    /** Sends what comes until `stop` is called; never rejects. */
    run(): void {
      running ??= loop()
    },

    /** Sends all that is due now, and resolves when it has been answered or given up. */
    async drain(): Promise<void> {
      await deleteOldMessages(db, new Date(clock().getTime() - KEPT_MS))
      for (const task of periodicTasks) await task()
      while ((await start()) > 0 || flights.size > 0) await landings()
    },

    /** Breaks off what is on its way; it is sent again when the next process starts. */
    async stop(): Promise<void> {
      stopping.abort()
      outbound.close()
      await running
    },
  }
}
