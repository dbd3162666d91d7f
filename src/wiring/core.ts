import { type Clock, systemClock } from '../clock.ts'
import { type Database, type DatabaseOptions, openDatabase } from '../db/pool.ts'

export type Log = (fields: Record<string, unknown>, message: string) => void

type Options = Omit<DatabaseOptions, 'url' | 'onError'> & { clock?: Clock; log?: Log }

/** What every process stands on. Close its database in the end. */
export type Core = { database: Database; db: Database['db']; clock: Clock; log: Log }

/**
 * Opens the database under the name of a process, with the limits that suit it. Whatever serves
 * requests, imports clicks, runs a command or makes a first account is put on top of this.
 */
export function createCore(
  { databaseUrl }: { databaseUrl: string },
  { clock = systemClock, log = () => {}, ...options }: Options,
): Core {
  const database = openDatabase({
    ...options,
    url: databaseUrl,
    onError: (error) => log({ reason: error.message }, 'an idle database connection broke'),
  })
  return { database, db: database.db, clock, log }
}
