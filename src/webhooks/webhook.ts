import type { DeliveryState } from '../db/schema/webhooks.ts'
import type { EventType } from './event.ts'

/** Where an account has others told of what happens. */
export type WebhookEndpoint = {
  id: number
  url: string
  secret: string
  /** Until when the secret before it signs as well; null if none does. */
  oldSecretUntil: Date | null
  events: EventType[]
  createdAt: Date
  /** Since when every attempt has failed; null if the last one did not. */
  failingSince: Date | null
  /** Since when nothing is sent any more, and whether it answered 410 or failed for days. */
  disabled: { at: Date; by: 'gone' | 'failures' } | null
  /** How many messages were dropped because too many were waiting. */
  dropped: { count: number; lastAt: Date } | null
}

export type WebhookDelivery = {
  id: number
  type: string
  state: DeliveryState
  attempts: number
  /** When the next attempt is due, where there is one. */
  nextAt: Date | null
  /** What the last attempt came to. */
  status: number | null
  problem: string | null
  createdAt: Date
}
