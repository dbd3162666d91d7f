import type { InstanceContext } from '../context.ts'
import type { Db } from '../db/pool.ts'
import { createDomainWatch } from '../domains/domain-watch.ts'
import { createLinkEventTasks } from '../links/link-events.ts'
import {
  createDeliveryWorker,
  type DeliveryOptions,
  type DeliveryWorker,
} from '../webhooks/delivery-worker.ts'

/**
 * Creates the sender of webhook messages. It also queues the messages about clicks, expirations and
 * domains.
 */
export function createWebhookSender(
  ctx: InstanceContext,
  db: Db,
  options?: DeliveryOptions,
): DeliveryWorker {
  const tasks = [...createLinkEventTasks(ctx, db), createDomainWatch(ctx, db)]
  return createDeliveryWorker(ctx, db, tasks, options)
}
