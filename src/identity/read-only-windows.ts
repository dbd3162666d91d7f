import { WINDOW_SECONDS } from '../db/rate-window.queries.ts'
import type { WindowRow } from './access.queries.ts'

const MAX_WINDOWS = 20_000

/**
 * Counts requests in this process while the database is read-only, so that limits still apply. They
 * are exact again once the database counts.
 */
export function createReadOnlyWindows({ now = () => Date.now() } = {}) {
  const windows = new Map<string, { hits: number; endsAt: number }>()

  /** Counts requests of a subject, and returns its window. */
  return function count(subject: string, requests: number): WindowRow {
    const time = now()
    const known = windows.get(subject)
    const isCurrent = known !== undefined && known.endsAt > time
    const window = isCurrent ? known : { hits: 0, endsAt: time + WINDOW_SECONDS * 1000 }
    window.hits += requests
    if (!isCurrent) {
      if (windows.size >= MAX_WINDOWS) windows.clear()
      windows.set(subject, window)
    }
    const { hits, endsAt } = window
    return { hits, ends_at: endsAt / 1000, secondsLeft: (endsAt - time) / 1000 }
  }
}
