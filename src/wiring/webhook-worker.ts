import type { Context } from '../context.ts'
import type { Db } from '../db/pool.ts'
import { createLinkNews } from '../links/link-news.ts'
import { createGuardedFetch } from '../net/guarded-fetch.ts'
import {
  createDeliveryWorker,
  type DeliveryWorker,
  MAX_IN_FLIGHT,
  MAX_IN_FLIGHT_PER_ACCOUNT,
} from '../webhooks/delivery-worker.ts'

type Options = {
  /** Milliseconds that an endpoint has to answer. */
  timeoutMs?: number
  /** Milliseconds after which an attempt counts as slow. */
  slowAfterMs?: number
}

/** What sends the messages of webhooks, with all that it looks for to send. */
export function createWebhookWorker(
  ctx: Context,
  db: Db,
  { timeoutMs = 15_000, slowAfterMs }: Options = {},
): DeliveryWorker {
  const { clock, config, lookup, outbox } = ctx
  const outbound = createGuardedFetch({
    ...{ allow: config.outboundAllow, timeoutMs },
    ...{ maxConcurrent: MAX_IN_FLIGHT, maxConcurrentPerAccount: MAX_IN_FLIGHT_PER_ACCOUNT },
    ...(lookup && { lookup }),
  })
  const news = createLinkNews({ db, baseUrl: config.baseUrl, clock, outbox })
  const chores = [news.tellClicks, news.tellEnds]
  const log = { warn: (details: object, text: string) => ctx.log({ ...details }, text) }
  return createDeliveryWorker({
    ...{ db, clock, outbound, log, chores },
    ...(slowAfterMs !== undefined && { slowAfterMs }),
  })
}
