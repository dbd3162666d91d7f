import type { Clock } from '../clock.ts'
import type { Db } from '../db/pool.ts'
import type { Action } from './action.ts'
import type { LogFilter, LogLine } from './log-line.ts'
import { insertLogLine, readLogLines } from './operator-log.queries.ts'

export type OperatorLog = ReturnType<typeof createOperatorLog>

/** Who acts when a command does. No account can have this name. */
export const COMMAND_LINE = 'command line'

/** Lines that an export reads at a time. */
const BATCH = 1000

/**
 * What the operator did to what belongs to others. Lines are only ever added: the database refuses every
 * other change of the table. Make it on the transaction of the act, so that there is neither without the other.
 */
export function createOperatorLog({ db, clock }: { db: Db; clock: Clock }) {
  return {
    /**
     * Adds a line. `actor` is the username of the admin, or `COMMAND_LINE`; `subject` names what it was done
     * to, as people know it: a username, a short URL, a host. All of it outlives what it names.
     */
    record: ({
      actor,
      action,
      subject,
      detail = null,
    }: {
      actor: string
      action: Action
      subject: string
      detail?: string | null | undefined
    }): Promise<void> => insertLogLine(db, { at: clock(), actor, action, subject, detail }),

    /** Up to `limit` lines that fit, the newest first, from before line `before` on. */
    list: (
      filter: LogFilter,
      page: { before?: number | undefined; limit: number },
    ): Promise<LogLine[]> => readLogLines(db, filter, page),

    /** All lines that fit, the newest first, read as fast as they are taken. */
    async *all(filter: LogFilter): AsyncGenerator<LogLine> {
      let before: number | undefined
      for (;;) {
        const lines = await readLogLines(db, filter, { before, limit: BATCH })
        yield* lines
        if (lines.length < BATCH) return
        before = lines.at(-1)?.id
      }
    },
  }
}
