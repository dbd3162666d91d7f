import type { Context } from '../context.ts'
import type { Db } from '../db/pool.ts'
import { createLinkEventTasks } from '../links/link-events.ts'
import {
  createDeliveryWorker,
  type DeliveryOptions,
  type DeliveryWorker,
} from '../webhooks/delivery-worker.ts'

/**
 * Creates the sender of webhook messages. It also queues the messages about clicks and expirations.
 */
export function createWebhookSender(
  ctx: Context,
  db: Db,
  options?: DeliveryOptions,
): DeliveryWorker {
  return createDeliveryWorker(ctx, db, createLinkEventTasks(ctx, db), options)
}
