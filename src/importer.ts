import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import type { Importer } from './clicks/import.ts'
import { readConfig } from './config.ts'
import { createContext } from './context.ts'
import { ORDERED_WRITES } from './db/client.ts'
import { type Instance, loadInstance, watchInstance } from './db/instance.ts'
import { openDatabase } from './db/pool.ts'
import { createClickImporter } from './importer/click-importer.ts'
import { createJobs } from './importer/jobs.ts'
import { createWebhookSender } from './importer/webhook-sender.ts'
import { createDatabaseFeedOpener } from './links/store/database-feed.ts'
import { followChanges } from './links/store/follower.ts'
import { storeFolder } from './links/store/store-file.ts'
import { ForeignFilesError, requireOwnFiles } from './process/foreign-files.ts'
import {
  collectStartupGarbage,
  createTerminalLog,
  lowerPriority,
  orExit,
} from './process/startup.ts'
import { answerWatchdog } from './process/watchdog.ts'
import { createImportWorker } from './transfer/import-worker.ts'
import { createCountryLookup } from './visitors/country.ts'
import { createClientClassifier } from './visitors/crawler.ts'

/** Milliseconds for which a shutdown imports clicks. The remaining clicks stay in the journal. */
const DRAIN_TIMEOUT_MS = 5000
const RETRY_MS = 500
/** A batch of 100,000 clicks takes seconds on a busy database. */
const QUERY_TIMEOUT_MS = 60_000

/** On machines with few processors, replies have priority over importing clicks. */
const LOW_PRIORITY = 5

/**
 * This background process imports clicks from the journal, keeps the link store up to date, sends
 * webhooks and email, checks that branded domains point to this service, and runs link imports that
 * were started in the console. On SIGTERM, it imports the remaining clicks and exits. When its
 * parent process exits, it exits after the current batch.
 */
lowerPriority(LOW_PRIORITY)
answerWatchdog()
const config = await orExit(readConfig)
const log = pino({ level: config.logLevel, name: 'importer' }, await createTerminalLog())
const { databaseUrl } = config
if (!databaseUrl) throw new Error('DATABASE_URL is not set')
const ctx = await orExit(() =>
  createContext({ ...config, databaseUrl }, 'importer', {
    log: (fields, message) => log.warn(fields, message),
  }),
)
const { clock } = ctx
/**
 * Has its own connections, so that webhooks and link imports do not delay the import of clicks.
 */
const clickDatabase = openDatabase({
  url: databaseUrl,
  name: 'importer',
  max: 4,
  queryTimeout: QUERY_TIMEOUT_MS,
  settings: ORDERED_WRITES,
  onError: (error) => log.warn({ reason: error.message }, 'an idle database connection broke'),
})
const linkDatabase = openDatabase({ url: databaseUrl, name: 'importer', max: 4, queryTimeout: 0 })
const country = await createCountryLookup({ file: config.geoipFile, log, mayBeUnreadable: true })
const stopController = new AbortController()
// A terminal sends these signals to every process. This process must outlive the workers.
for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => {})
// A service manager signals all processes, so a second signal may follow. `once` would let it end
// this process.
process.on('SIGTERM', () => stopController.abort('drain'))
process.once('disconnect', () => stopController.abort('leave'))
// The parent may have exited before this process started to listen.
if (process.connected === false) stopController.abort('leave')

collectStartupGarbage()
const loaded = await loadWithRetries(async () => {
  const instance = await loadInstance(clickDatabase.db)
  // First, because a required installation would also reject the right database in later attempts.
  requireOwnFiles(config, instance)
  // Connections that were opened before are checked at their next use.
  for (const { requireInstance } of [clickDatabase, ctx.database, linkDatabase]) {
    requireInstance(instance)
  }
  return { instance, importer: openImporter(instance) }
})
if (loaded) await runBackgroundWork(loaded)
process.exit(0)

/** Throws if the journal's folder cannot be used. */
function openImporter(instance: Instance): Importer {
  return createClickImporter({
    dir: config.journalDir,
    db: clickDatabase,
    instance,
    requireOwnFiles: () => requireOwnFiles(config, instance),
    country,
    clients: createClientClassifier(config.botNames),
    clock,
    log,
    retentionDays: config.clickRetentionDays,
    answerRetentionDays: config.answerRetentionDays,
    keep: config.journalKeep,
  })
}

async function runBackgroundWork({
  instance,
  importer,
}: {
  instance: Instance
  importer: Importer
}): Promise<void> {
  // If the database is replaced by another one, this process restarts, and then waits.
  watchInstance(clickDatabase.db, instance).catch((error: Error) => {
    log.error(error.message)
    process.exit(1)
  })
  void followChanges(
    {
      openFeed: createDatabaseFeedOpener(ctx.config.databaseUrl),
      folder: storeFolder(config.dataDir),
      authorize: (source) => requireOwnFiles(config, source),
      log,
    },
    stopController.signal,
  )
  const jobs = createJobs(ctx, ctx.db, { instance })
  const workers = [
    ...(jobs ? [jobs] : []),
    createWebhookSender({ ...ctx, instance }, ctx.db),
    createImportWorker(ctx, linkDatabase.db),
  ]
  void importer.run()
  for (const worker of workers) worker.run()
  if (!stopController.signal.aborted) await once(stopController.signal, 'abort')
  await Promise.race([finish(importer, workers), sleep(DRAIN_TIMEOUT_MS)])
}

async function finish(
  importer: Importer,
  workers: readonly { stop(): Promise<void> }[],
): Promise<void> {
  try {
    const stopped = workers.map((worker) => worker.stop())
    // Aborts requests that are waiting for other servers.
    ctx.outbound.close()
    await Promise.all(stopped)
    await Promise.all([ctx.close(), linkDatabase.close()])
    await importer.stop()
    if (stopController.signal.reason === 'drain') await importer.drain()
    await clickDatabase.close()
  } catch (error) {
    log.warn({ err: error }, 'some clicks stay in the journal until the next start')
  }
}

/** Retries until the database is available. Returns undefined if the process is stopped first. */
async function loadWithRetries<T>(load: () => Promise<T>): Promise<T | undefined> {
  let failures = 0
  while (!stopController.signal.aborted) {
    try {
      return await load()
    } catch (error) {
      // The supervisor logs this error, which the workers report.
      const isLogged = failures > 0 || error instanceof ForeignFilesError
      if (!isLogged) log.error({ err: error }, 'clicks cannot be imported yet, retrying')
      failures += 1
      await sleep(RETRY_MS, undefined, { signal: stopController.signal }).catch(() => {})
    }
  }
  return undefined
}
