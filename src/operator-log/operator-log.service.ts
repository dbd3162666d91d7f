import type { Context } from '../context.ts'
import { lowercase, toLowercaseForms } from '../db/ignoring-case.queries.ts'
import type { Db } from '../db/pool.ts'
import type { Tx } from '../db/transaction.ts'
import type { Action } from './action.ts'

/** A line of the admin log. */
export type LogLine = {
  id: number
  at: Date
  actor: string
  /** The action. It may be unknown to this program if a newer version has added it. */
  action: string
  subject: string
  detail: string | null
}

type LogFilter = {
  /** The actor: an email address (ignoring case), or the name of the command line. */
  actor?: string | undefined
  action?: string | undefined
  /** One or more subjects, ignoring case. A line matches if it has one of them. */
  subject?: string | readonly string[] | undefined
}

/** The actor of actions on the command line. It is not a valid email address. */
export const COMMAND_LINE = 'command line'
/** The actor of changes caused by the groups of the identity provider. */
export const PROVIDER = 'identity provider'

/** The number of lines per query of an export. */
const BATCH = 1000

export type LogEntry = {
  /** The email address of the admin, or `COMMAND_LINE` or `PROVIDER`. */
  actor: string
  action: Action
  /** The name of the subject: a username, a short URL or a host. */
  subject: string
  detail?: string | null | undefined
}

/**
 * Adds a line to the admin log in the transaction of the action, so that neither exists without the
 * other. Lines contain names instead of references, and the database rejects changes and deletions
 * of lines.
 */
export function logAction(ctx: Context, tx: Tx, entry: LogEntry): Promise<void> {
  const { actor, action, subject, detail = null } = entry
  return insertLogLine(tx, { at: ctx.clock(), actor, action, subject, detail })
}

/** Returns up to `limit` matching lines before line `before`, newest first. */
export function listLogLines(
  db: Db,
  filter: LogFilter,
  page: { before?: number | undefined; limit: number },
): Promise<LogLine[]> {
  return readLogLines(db, filter, page)
}

/** Yields all matching lines, newest first, reading them as they are consumed. */
export async function* readAllLogLines(db: Db, filter: LogFilter): AsyncGenerator<LogLine> {
  let before: number | undefined
  for (;;) {
    const lines = await readLogLines(db, filter, { before, limit: BATCH })
    yield* lines
    if (lines.length < BATCH) return
    before = lines.at(-1)?.id
  }
}

async function insertLogLine(db: Db, line: Omit<LogLine, 'id'>): Promise<void> {
  await db.insertInto('operator_log').values(line).execute()
}

/** Returns matching lines, newest first. If `before` is set, starts before that line. */
function readLogLines(
  db: Db,
  { actor, action, subject }: LogFilter,
  { before, limit }: { before?: number | undefined; limit: number },
): Promise<LogLine[]> {
  let query = db.selectFrom('operator_log').selectAll()
  if (actor !== undefined) query = query.where(lowercase('actor'), 'in', toLowercaseForms(actor))
  if (action !== undefined) query = query.where('action', '=', action)
  if (subject !== undefined) {
    const names = [subject].flat().flatMap(toLowercaseForms)
    query = query.where(lowercase('subject'), 'in', names)
  }
  if (before !== undefined) query = query.where('id', '<', before)
  return query.orderBy('id', 'desc').limit(limit).execute()
}
