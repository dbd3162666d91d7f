import type { Clock } from '../clock.ts'
import type { Config } from '../config.ts'
import type { Db } from '../db/pool.ts'
import { createLinkNews } from '../links/link-news.ts'
import type { Lookup } from '../net/checked-connector.ts'
import { createGuardedFetch } from '../net/guarded-fetch.ts'
import {
  createDeliveryWorker,
  type DeliveryWorker,
  MAX_IN_FLIGHT,
  MAX_IN_FLIGHT_PER_ACCOUNT,
} from '../webhooks/delivery-worker.ts'
import { createOutbox } from '../webhooks/outbox.ts'

type Options = {
  db: Db
  clock: Clock
  config: Pick<Config, 'baseUrl' | 'outboundAllow'>
  log: { warn: (details: object, text: string) => void }
  /** Milliseconds that an endpoint has to answer. */
  timeoutMs?: number
  /** Resolves names in place of the system. */
  lookup?: Lookup
  /** Milliseconds after which an attempt counts as slow. */
  slowAfterMs?: number
}

/** What sends the messages of webhooks, with all that it looks for to send. */
export function createWebhookWorker({
  db,
  clock,
  config: { baseUrl, outboundAllow },
  log,
  timeoutMs = 15_000,
  lookup,
  slowAfterMs,
}: Options): DeliveryWorker {
  const outbound = createGuardedFetch({
    ...{ allow: outboundAllow, timeoutMs },
    ...{ maxConcurrent: MAX_IN_FLIGHT, maxConcurrentPerAccount: MAX_IN_FLIGHT_PER_ACCOUNT },
    ...(lookup && { lookup }),
  })
  const news = createLinkNews({ db, baseUrl, clock, outbox: createOutbox({ clock }) })
  const chores = [news.tellClicks, news.tellEnds]
  return createDeliveryWorker({
    ...{ db, clock, outbound, log, chores },
    ...(slowAfterMs !== undefined && { slowAfterMs }),
  })
}
