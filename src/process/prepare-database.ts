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

export type Preparation = {
  /**
   * Resolves once the database is migrated, or once links can be served without it while it is
   * unavailable or being migrated. Rejects if the database cannot be used.
   */
  attempted: Promise<void>
  /** Resolves once the database is available and migrated. Rejects if it cannot be used. */
  done: Promise<void>
  /** Returns whether a migration is running or has failed. */
  isMigrating(): boolean
}

/** Checks and migrates the database. */
export function prepareDatabase(options: Options): Preparation {
  const { canServe, signal, log } = options
  let isMigrating = false
  const canContinue = Promise.withResolvers<void>()
  const serveWithout = (reason: string, details = {}) => {
    log.warn(details, `${reason}, so links are served from the link store`)
    canContinue.resolve()
  }
  const timer = setTimeout(() => {
    if (canServe && !isMigrating) serveWithout('the database does not respond')
  }, MAX_WAIT_MS)
  const onMigrating = () => {
    if (canServe && !isMigrating) serveWithout('the database is being migrated')
    isMigrating = true
  }
  const work = () => prepare({ ...options, onMigrating })
  const onFirstFailure = (error: unknown) => {
    clearTimeout(timer)
    serveWithout('the database is unavailable', { reason: toReason(error) })
  }
  const done = (canServe ? retryUntilReachable(work, signal, onFirstFailure) : work())
    .then(() => {
      // After a failure, the service must not become ready either.
      isMigrating = false
    })
    .finally(() => clearTimeout(timer))
  return {
    attempted: Promise.race([done, canContinue.promise]),
    done,
    isMigrating: () => isMigrating,
  }
}

function toReason(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

async function retryUntilReachable(
  work: () => Promise<void>,
  signal: AbortSignal,
  onFirstFailure: (error: unknown) => void,
): Promise<void> {
  for (let failures = 0; ; failures += 1) {
    signal.throwIfAborted()
    try {
      return await work()
    } catch (error) {
      if (!isUnavailable(error)) throw error
      if (failures === 0) onFirstFailure(error)
      await sleep(RETRY_MS, undefined, { signal })
    }
  }
}

async function prepare({
  config,
  databaseUrl,
  log,
  onMigrating,
}: Options & { onMigrating: () => void }): Promise<void> {
  if (!config.migrateOnStart) return rejectForeignSchema(databaseUrl)
  const onWait = () => {
    onMigrating()
    log.info('waiting for another process that is migrating the database')
  }
  if ((await awaitPendingMigrations(databaseUrl, { onWait })).length === 0) return
  onMigrating()
  // Loaded only if migrations are pending.
  const { migrate } = await import('../db/migrate.ts')
  await migrate(databaseUrl, { log: (details, message) => log.info(details, message) })
}
