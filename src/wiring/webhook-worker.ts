import type { Clock } from '../clock.ts'
import type { Config } from '../config.ts'
import type { Db } from '../db/pool.ts'
import { createLinkNews } from '../links/link-news.ts'
import type { Lookup } from '../net/checked-connector.ts'
import { createGuardedFetch } from '../net/guarded-fetch.ts'
import { createDeliveryWorker, type DeliveryWorker } from '../webhooks/delivery-worker.ts'
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
}

/** What sends the messages of webhooks, with all that it looks for to send. */
export function createWebhookWorker({
  db,
  clock,
  config: { baseUrl, outboundAllow },
  log,
  timeoutMs = 15_000,
  lookup,
}: Options): DeliveryWorker {
  const outbound = createGuardedFetch({
    ...{ allow: outboundAllow, timeoutMs, maxConcurrent: 32 },
    ...(lookup && { lookup }),
  })
  const news = createLinkNews({ db, baseUrl, clock, outbox: createOutbox({ clock }) })
  const chores = [news.tellClicks, news.tellEnds]
  return createDeliveryWorker({ db, clock, outbound, log, chores })
}
