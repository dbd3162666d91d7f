import type { Task } from 'graphile-worker'
import type { Db } from '../../db/pool.ts'
import { addJob } from '../../jobs/job-queue.queries.ts'
import type { LinkChecker } from './check-links.ts'

export const LINK_CHECK_TASK = 'check-links'

/** The id after which a slice starts, and whether earlier slices postponed due links. */
type Position = { after: number; hadPostponed: boolean }

/** Milliseconds until the next search for due links once all have been checked. */
const PAUSE_MS = 600_000
const MAX_ATTEMPTS = 25

/** Creates the task that checks a slice of links and schedules the next one. */
export function createLinkCheckTask(db: Db, checker: LinkChecker): Task {
  return async (payload, { abortSignal }) => {
    const { after = 0, hadPostponed = false } = payload as Partial<Position>
    const { next, hasPostponed } = await checker.checkSlice(after, abortSignal)
    const hasDueLinks = hadPostponed || hasPostponed
    const isEnd = next === 0
    await scheduleLinkCheck(
      db,
      { after: next, hadPostponed: hasDueLinks && !isEnd },
      isEnd && !hasDueLinks ? PAUSE_MS : 0,
    )
  }
}

/** Adds the job for a slice, replacing any pending one. Throws if the queue is full. */
export async function scheduleLinkCheck(
  db: Db,
  payload: Position = { after: 0, hadPostponed: false },
  delayMs = 0,
): Promise<void> {
  const job = { task: LINK_CHECK_TASK, key: LINK_CHECK_TASK, maxAttempts: MAX_ATTEMPTS }
  if (!(await addJob(db, { ...job, payload, delayMs }))) throw new Error('the job queue is full')
}
