import type { DatabaseSync } from 'node:sqlite'
import { foldCase } from '../../text.ts'

type Options = { readOnly?: boolean; timeoutMs?: number }

// Result codes: https://sqlite.org/rescode.html
const SQLITE_BUSY = 5
const SQLITE_CORRUPT = 11
const SQLITE_NOTADB = 26

/** Opens a SQLite file. Creates it unless `readOnly`. Statements have the function `fold_case`. */
export function openSqlite(
  path: string,
  { readOnly = false, timeoutMs = 0 }: Options = {},
): DatabaseSync {
  const { DatabaseSync } = loadSqlite()
  const db = new DatabaseSync(path, { readOnly, timeout: timeoutMs })
  db.function('fold_case', { deterministic: true }, (text) => foldCase(String(text)))
  return db
}

/** Returns whether an error means that a file is damaged or is not a SQLite file. */
export function isCorruptionError(error: unknown): boolean {
  return [SQLITE_CORRUPT, SQLITE_NOTADB].includes(getResultCode(error))
}

/** Returns whether an error means that another connection has the lock. */
export function isBusyError(error: unknown): boolean {
  return getResultCode(error) === SQLITE_BUSY
}

function getResultCode(error: unknown): number {
  // The low byte of an extended result code is the primary code.
  return ((error as { errcode?: number }).errcode ?? 0) & 0xff
}

/** Loads SQLite without the warning in Node.js 24 that the module is experimental. */
function loadSqlite(): typeof import('node:sqlite') {
  const { emitWarning } = process
  process.emitWarning = () => {}
  try {
    return process.getBuiltinModule('node:sqlite')
  } finally {
    process.emitWarning = emitWarning
  }
}
