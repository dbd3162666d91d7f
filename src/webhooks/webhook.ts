import type { DeliveryState } from '../db/schema/webhooks.ts'
import type { EventType } from './event.ts'

/** A URL that receives events of an account. */
export type WebhookEndpoint = {
  id: number
  url: string
  secret: string
  /** The time until which messages are also signed with the previous secret, or null. */
  oldSecretUntil: Date | null
  events: EventType[]
  createdAt: Date
  /** The start of the current series of failures, or null if the last attempt succeeded. */
  failingSince: Date | null
  /** When and why it was disabled: it responded with 410, or failed for days. */
  disabled: { at: Date; by: 'gone' | 'failures' } | null
  /** Messages dropped because too many were waiting. */
  dropped: { count: number; lastAt: Date } | null
}

export type WebhookDelivery = {
  id: number
  type: string
  state: DeliveryState
  attempts: number
  /** When the next attempt is due, or null. */
  nextAt: Date | null
  /** The result of the last attempt. */
  status: number | null
  problem: string | null
  createdAt: Date
}
