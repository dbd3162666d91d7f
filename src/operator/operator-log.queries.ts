import { lowercase, toLowercaseForms } from '../accounts/ignoring-case.queries.ts'
import type { Db } from '../db/pool.ts'
import type { LogFilter, LogLine } from './log-line.ts'

export async function insertLogLine(db: Db, line: Omit<LogLine, 'id'>): Promise<void> {
  await db.insertInto('operator_log').values(line).execute()
}

/** Returns matching lines, newest first. If `before` is set, starts before that line. */
export function readLogLines(
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
