import { type TextsIn, t, tAll } from '../../../texts.ts'

/**
 * The outcome of a change: the name of its message, the number of changed links, and the number of
 * links skipped because an admin disabled them.
 */
export type Outcome = { done: TextsIn<'links.outcomes'>; count: number; blocked?: number }

/** Returns the query parameter that passes the outcome of a change to the list. */
export function formatOutcome({ done, count, blocked = 0 }: Outcome): { done: string } {
  return { done: `${done}.${count}${blocked > 0 ? `.${blocked}` : ''}` }
}

/** Returns the message for the query parameter of an outcome, or undefined if it is invalid. */
export function describeOutcome(value: unknown): string | undefined {
  const parts = /^([a-z]+)\.(\d{1,6})(?:\.(\d{1,6}))?$/.exec(typeof value === 'string' ? value : '')
  const done = Object.keys(tAll('links.outcomes')).find((each) => each === parts?.[1]) as
    | Outcome['done']
    | undefined
  if (!parts || !done) return undefined
  const blocked = Number(parts[3] ?? 0)
  const changed = t(`links.outcomes.${done}`, { n: Number(parts[2]) })
  return blocked > 0 ? `${changed} ${t('links.skipped', { n: blocked })}` : changed
}
