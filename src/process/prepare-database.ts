import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { isUnavailable } from '../db/errors.ts'
import { awaitPendingMigrations, rejectForeignSchema } from '../db/pending-migrations.ts'

type Options = {
  config: Pick<Config, 'migrateOnStart'>
  databaseUrl: string
  /** Whether links can be served without the database. If so, startup does not fail without it. */
  canServe: boolean
  signal: AbortSignal
  log: Logger
}

const RETRY_MS = 500
/** If links can be served without the database, the milliseconds for which startup waits for it. */
const MAX_WAIT_MS = 1500

/**
 * Migrates the database. `attempted` resolves once this is done, or once the database is
 * unavailable and links can be served without it. In the latter case, `done` resolves when the
 * database is available and migrated. Both reject if the schema cannot be used.
 */
export function prepareDatabase(options: Options): {
  attempted: Promise<void>
  done: Promise<void>
} {
  const { canServe, signal, log } = options
  if (!canServe) {
    const done = prepare(options)
    return { attempted: done, done }
  }
  const unavailable = Promise.withResolvers<void>()
  const reportUnavailable = () => {
    log.warn('the database does not respond, so links are served from the link store')
    unavailable.resolve()
  }
  const timer = setTimeout(reportUnavailable, MAX_WAIT_MS)
  const done = retryUntilReachable(
    () => prepare(options),
    signal,
    () => {
      clearTimeout(timer)
      reportUnavailable()
    },
  ).finally(() => clearTimeout(timer))
  return { attempted: Promise.race([done, unavailable.promise]), done }
}

async function retryUntilReachable(
  work: () => Promise<void>,
  signal: AbortSignal,
  onFirstFailure: () => void,
): Promise<void> {
  for (let failures = 0; ; failures += 1) {
    signal.throwIfAborted()
    try {
      return await work()
    } catch (error) {
      if (!isUnavailable(error)) throw error
      if (failures === 0) onFirstFailure()
      await sleep(RETRY_MS, undefined, { signal })
    }
  }
}

async function prepare({ config, databaseUrl, log }: Options): Promise<void> {
  if (!config.migrateOnStart) return rejectForeignSchema(databaseUrl)
  if ((await awaitPendingMigrations(databaseUrl)).length === 0) return
  // Loaded only if migrations are pending.
  const { migrate } = await import('../db/migrate.ts')
  for (const name of await migrate(databaseUrl)) log.info({ name }, 'applied a migration')
}
