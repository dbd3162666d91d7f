import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../clock.ts'
import type { Db } from '../db/pool.ts'
import { inTransaction } from '../db/transaction.ts'
import { AppError } from '../errors.ts'
import type { GuardedFetch } from '../net/guarded-fetch.ts'
import { OutboundError } from '../net/outbound-error.ts'
import { type Answer, judge } from './attempt.ts'
import {
  type Claimed,
  claimDeliveries,
  deleteDeliveries,
  recordAttempt,
  unclaimDelivery,
} from './delivery.queries.ts'
import { signedHeaders } from './sign.ts'

export type DeliveryWorker = ReturnType<typeof createDeliveryWorker>

type Options = {
  db: Db
  clock: Clock
  outbound: Pick<GuardedFetch, 'post' | 'close'>
  log: { warn: (details: object, text: string) => void }
  /** Look for what endpoints are to be told of, and queue it. */
  chores: readonly (() => Promise<void>)[]
}

/** Messages on their way at once, one of an account; half of them to endpoints that failed last. */
const MOST = 32
/** Longer than an attempt may take, with its statements. */
const LEASE = 120_000
const KEPT = 30 * 86_400_000
/** Milliseconds between looks at the queue, and between tidying up. */
const REST = 1000
const TIDY_EVERY = 3_600_000

/**
 * Sends what waits in the queue. Several processes may do so at once. An endpoint that is slow, down
 * or hostile takes one of many places for as long as an attempt may last, and then rests.
 */
export function createDeliveryWorker({ db, clock, outbound, log, chores }: Options) {
  /** By account, what is on its way and whether to an endpoint that failed last. */
  const flying = new Map<number, { failing: boolean; done: Promise<void> }>()
  const stopping = new AbortController()
  let running: Promise<void> | undefined
  let landed = Promise.withResolvers<void>()
  let tidiedAt = -Infinity

  /** Begins to send what is due, and gives how many messages that were. */
  async function start(): Promise<number> {
    for (const chore of chores) await chore()
    const failingCount = flying.values().reduce((sum, { failing }) => sum + Number(failing), 0)
    const now = clock()
    const claimed = await claimDeliveries(db, {
      now,
      until: new Date(now.getTime() + LEASE),
      most: Math.min(MOST - flying.size, MOST / 2),
      busy: [...flying.keys()],
      failing: failingCount < MOST / 2,
    })
    for (const each of claimed) {
      const done = deliver(each)
        .catch((error) => log.warn({ err: error }, 'a webhook message was not sent'))
        .finally(() => {
          flying.delete(each.account_id)
          landed.resolve()
        })
      flying.set(each.account_id, { failing: each.failures > 0, done })
    }
    return claimed.length
  }

  async function deliver(claimed: Claimed): Promise<void> {
    const answer = await send(claimed)
    if (!answer || stopping.signal.aborted) return unclaimDelivery(db, claimed.id, clock())
    const { delivery, endpoint } = judge(claimed, answer, clock(), Math.random())
    await inTransaction(db, (tx) => recordAttempt(tx, claimed, delivery, endpoint))
  }

  /** Undefined if there was no room to try. */
  async function send(claimed: Claimed): Promise<Answer | undefined> {
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

  async function tidy(): Promise<void> {
    if (performance.now() - tidiedAt < TIDY_EVERY) return
    await deleteDeliveries(db, new Date(clock().getTime() - KEPT))
    tidiedAt = performance.now()
  }

  async function loop(): Promise<void> {
    let failures = 0
    while (!stopping.signal.aborted) {
      landed = Promise.withResolvers()
      try {
        await tidy()
        await start()
        failures = 0
      } catch (error) {
        if (failures === 0) log.warn({ err: error }, 'webhooks cannot be sent, trying again')
        failures += 1
      }
      const rest = new AbortController()
      const signal = AbortSignal.any([rest.signal, stopping.signal])
      await Promise.race([landed.promise, sleep(REST, undefined, { signal }).catch(() => {})])
      rest.abort()
    }
    await Promise.all(flying.values().map(({ done }) => done))
  }

  return {
    /** Sends what comes until `stop` is called; never rejects. */
    run(): void {
      running ??= loop()
    },

    /** Sends all that is due now, and resolves when it has been answered or given up. */
    async drain(): Promise<void> {
      await deleteDeliveries(db, new Date(clock().getTime() - KEPT))
      while ((await start()) > 0 || flying.size > 0) {
        await Promise.all(flying.values().map(({ done }) => done))
      }
    },

    /** Breaks off what is on its way; it is sent again when the next process starts. */
    async stop(): Promise<void> {
      stopping.abort()
      outbound.close()
      await running
    },
  }
}
