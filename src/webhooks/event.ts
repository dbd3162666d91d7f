/** The events that an endpoint can subscribe to, with their labels in the console. */
export const EVENTS = {
  'link.created': 'Link created',
  'link.updated': 'Link updated',
  'link.deleted': 'Link deleted',
  'link.clicked': 'Link clicked (batched, max. 1 per second)',
  'link.ended': 'Link expired',
  'link.broken': 'Link broken',
  'domain.failing': 'Domain misconfigured',
  'import.finished': 'Import finished or failed',
} as const

export type EventType = keyof typeof EVENTS

export const EVENT_TYPES = Object.keys(EVENTS) as EventType[]

/** The event that "Send test event" sends. */
export const TEST_EVENT = 'webhook.test'
