import { pluralize } from '../shell/plural.ts'
import { linksMessages } from './messages.ts'

/**
 * The outcome of a change: the name of its message, the number of changed links, and the number of
 * links skipped because an admin disabled them.
 */
export type Outcome = { done: keyof typeof linksMessages.outcomes; count: number; blocked?: number }

/** Returns the query parameter that passes the outcome of a change to the list. */
export function formatOutcome({ done, count, blocked = 0 }: Outcome): { done: string } {
  return { done: `${done}.${count}${blocked > 0 ? `.${blocked}` : ''}` }
}

/** Returns the message for the query parameter of an outcome, or undefined if it is invalid. */
export function describeOutcome(value: unknown): string | undefined {
  const { outcomes, skipped } = linksMessages
  const parts = /^([a-z]+)\.(\d{1,6})(?:\.(\d{1,6}))?$/.exec(typeof value === 'string' ? value : '')
  const done = Object.keys(outcomes).find((each) => each === parts?.[1]) as
    | Outcome['done']
    | undefined
  if (!parts || !done) return undefined
  const blocked = Number(parts[3] ?? 0)
  const changed = pluralize(Number(parts[2]), outcomes[done])
  return blocked > 0 ? `${changed} ${pluralize(blocked, skipped)}` : changed
}
