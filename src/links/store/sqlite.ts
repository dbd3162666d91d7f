import type { DatabaseSync } from 'node:sqlite'

type Options = { readOnly?: boolean; timeoutMs?: number }

// Result codes: https://sqlite.org/rescode.html
const BUSY = 5
const CORRUPT = 11
const NOT_A_DATABASE = 26

/** Opens a SQLite file, which is created unless `readOnly`. */
export function openSqlite(
  path: string,
  { readOnly = false, timeoutMs = 0 }: Options = {},
): DatabaseSync {
  const { DatabaseSync } = loadSqlite()
  return new DatabaseSync(path, { readOnly, timeout: timeoutMs })
}

/** Whether an error says that a file is damaged, or not one of SQLite's. */
export function isDamage(error: unknown): boolean {
  return [CORRUPT, NOT_A_DATABASE].includes(resultCode(error))
}

/** Whether an error says that another connection holds the lock. */
export function isBusy(error: unknown): boolean {
  return resultCode(error) === BUSY
}

function resultCode(error: unknown): number {
  // The low byte of an extended code is the code itself.
  return ((error as { errcode?: number }).errcode ?? 0) & 0xff
}

/** Loads SQLite without the warning of Node.js 24 that its interface may still change. */
function loadSqlite(): typeof import('node:sqlite') {
  const { emitWarning } = process
  process.emitWarning = () => {}
  try {
    return process.getBuiltinModule('node:sqlite')
  } finally {
    process.emitWarning = emitWarning
  }
}
