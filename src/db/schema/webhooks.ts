import type { ColumnType, Generated } from 'kysely'
import type { CreatedAt, Json } from './columns.ts'

export type WebhookEndpointTable = {
  id: Generated<number>
  account_id: number
  url: string
  secret: string
  old_secret: string | null
  old_secret_until: Date | null
  events: string[]
  created_at: CreatedAt
  failures: Generated<number>
  failing_since: Date | null
  paused_until: Date | null
  clicks_told_at: Date | null
  clicks_delivery_id: number | null
  disabled_at: Date | null
  disabled_by: 'gone' | 'failures' | null
  attempted_at: Date | null
  slow: Generated<boolean>
  dropped: Generated<number>
  dropped_at: Date | null
}

export type WebhookMessageTable = {
  id: Generated<number>
  account_id: number
  type: string
  data: Json<Record<string, unknown>>
  created_at: Date
}

export type DeliveryState = 'waiting' | 'delivered' | 'failed'

export type WebhookDeliveryTable = {
  id: Generated<number>
  endpoint_id: number
  message_id: number
  bytes: number
  state: ColumnType<DeliveryState, DeliveryState | undefined, DeliveryState>
  attempts: Generated<number>
  next_at: Date
  status: number | null
  problem: string | null
}

export type WebhookClickTable = { endpoint_id: number; link_id: number; clicks: number }

export type WebhookEndTable = {
  singleton: Generated<boolean>
  told_until: Date
  last_link_id: Generated<number>
}
