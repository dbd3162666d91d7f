import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
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
function isBusyError(error: unknown): boolean {
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

const RETRY_MS = 500

/**
 * Waits until no other process follows changes for this folder, then claims it. Returns a function
 * that releases the claim, or undefined if `signal` aborts first. The claim also ends when the
 * process ends.
 */
export async function claimFolder(
  folder: string,
  signal: AbortSignal,
): Promise<(() => void) | undefined> {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const file = join(folder, 'follower.lock')
  let db = openSqlite(file)
  while (!signal.aborted) {
    try {
      db.exec('begin exclusive')
      return () => db.close()
    } catch (error) {
      if (isCorruptionError(error)) {
        // It has no content. A process that holds the lock keeps the damaged file open, but not its name.
        db.close()
        rmSync(file, { force: true })
        db = openSqlite(file)
      } else if (!isBusyError(error)) throw error
      await sleep(RETRY_MS, undefined, { signal }).catch(() => {})
    }
  }
  db.close()
  return undefined
}
