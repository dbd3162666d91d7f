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
