import type { Selectable } from 'kysely'
import type { WebhookDeliveries } from '../db/tables.generated.ts'

/** The events that an endpoint can subscribe to. */
export const EVENT_TYPES = [
  'link.created',
  'link.updated',
  'link.deleted',
  'link.clicked',
  'link.ended',
  'link.broken',
  'domain.failing',
  'import.finished',
] as const

export type EventType = (typeof EVENT_TYPES)[number]

/** The event that "Send test event" sends. */
export const TEST_EVENT = 'webhook.test'

/** A URL that receives the events of an account. */
export type WebhookEndpoint = {
  id: number
  url: string
  secret: string
  /** Until then, messages are also signed with the previous secret. Null if there is none. */
  oldSecretUntil: Date | null
  events: EventType[]
  createdAt: Date
  /** When the current series of failures started, or null if the last attempt succeeded. */
  failingSince: Date | null
  /** When and why the endpoint was disabled: it responded with 410, or failed for several days. */
  disabled: { at: Date; by: 'gone' | 'failures' } | null
  /** The messages that were dropped because too many were waiting. */
  dropped: { count: number; lastAt: Date } | null
}

export type WebhookDelivery = {
  id: number
  type: string
  state: Selectable<WebhookDeliveries>['state']
  attempts: number
  /** When the next attempt is due, or null. */
  nextAt: Date | null
  /** The result of the last attempt. */
  status: number | null
  problem: string | null
  createdAt: Date
}
