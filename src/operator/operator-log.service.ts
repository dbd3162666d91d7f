import type { Context } from '../context.ts'
import type { Db } from '../db/pool.ts'
import type { Tx } from '../db/transaction.ts'
import type { Action } from './action.ts'
import type { LogFilter, LogLine } from './log-line.ts'
import { insertLogLine, readLogLines } from './operator-log.queries.ts'

/** The actor of a command. No account can have this name. */
export const COMMAND_LINE = 'command line'

/** Lines that an export reads at a time. */
const BATCH = 1000

export type LogEntry = {
  /** The username of the admin, or `COMMAND_LINE`. */
  actor: string
  action: Action
  /** What the action was applied to, as people know it: a username, a short URL, a host. */
  subject: string
  detail?: string | null | undefined
}

/**
 * Adds a line to the operator log, in the transaction of the action, so that there is never one without
 * the other. Its texts outlive what they name, and the database refuses to change or delete a line.
 */
export function logAction(ctx: Context, tx: Tx, entry: LogEntry): Promise<void> {
  const { actor, action, subject, detail = null } = entry
  return insertLogLine(tx, { at: ctx.clock(), actor, action, subject, detail })
}

/** Returns up to `limit` lines that fit, the newest first, from before line `before` on. */
export function listLogLines(
  db: Db,
  filter: LogFilter,
  page: { before?: number | undefined; limit: number },
): Promise<LogLine[]> {
  return readLogLines(db, filter, page)
}

/** Yields all lines that fit, the newest first, read as fast as they are consumed. */
export async function* readAllLogLines(db: Db, filter: LogFilter): AsyncGenerator<LogLine> {
  let before: number | undefined
  for (;;) {
    const lines = await readLogLines(db, filter, { before, limit: BATCH })
    yield* lines
    if (lines.length < BATCH) return
    before = lines.at(-1)?.id
  }
}
