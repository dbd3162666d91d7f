/** What an endpoint may be told of, with what the console says of it. */
export const EVENTS = {
  'link.created': 'A link was made',
  'link.updated': 'A link was changed',
  'link.deleted': 'A link was deleted',
  'link.clicked': 'Links were visited, gathered to at most one message a second',
  'link.ended': 'A link reached its end',
  'domain.failing': 'A domain does not lead here any more',
  'import.finished': 'An import ended, well or not',
} as const

export type EventType = keyof typeof EVENTS

export const EVENT_TYPES = Object.keys(EVENTS) as EventType[]

/** What is sent by hand, to see whether an endpoint answers. */
export const TEST_EVENT = 'webhook.test'
