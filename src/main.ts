import { type Logger, pino } from 'pino'
import { type Config, createChildEnvironment, loadEnvFile, pinFiles, readConfig } from './config.ts'
import { secureDataFolder } from './embedded-postgres/data-folder.ts'
import type { EmbeddedPostgres } from './embedded-postgres/embedded-postgres.ts'
import { storeFolder } from './links/store/store-file.ts'
import { findStoredInstance } from './links/store/stored-instance.ts'
import { prepareDatabase } from './process/prepare-database.ts'
import { shutDownGracefully } from './process/shutdown.ts'
import { collectStartupGarbage, createTerminalLog } from './process/startup.ts'
import { type Supervisor, supervise } from './process/supervisor.ts'
import { prepareGreeting } from './process/welcome.ts'
import { keepReserve, requireWritableFolders, watchFolders } from './process/writable-folders.ts'
import { findMisspelledSettings } from './settings-typos.ts'

/** After draining. */
const STOP_TIMEOUT_MS = 9500

type Service = {
  supervisor: Supervisor
  /**
   * Resolves when the database is ready. If it was unavailable at startup, this is after `serving`.
   */
  prepared: Promise<void>
  /** Returns whether a migration is running or has failed. The service is not ready meanwhile. */
  isMigrating(): boolean
  /**
   * Creates the first account if there is none. Returns the text to print when the service is
   * ready.
   */
  createGreeting(): Promise<string>
  stop(): Promise<void>
}

/** Runs the service until a signal stops it, which may happen during startup. */
async function main(): Promise<void> {
  loadEnvFile()
  const config = readConfig()
  const log = pino({ level: config.logLevel }, await createTerminalLog())
  for (const line of findMisspelledSettings(createChildEnvironment({}))) log.warn(line)
  requireWritableFolders(config)
  await requireFiles(config)
  pinFiles()
  watchFolders(config, { info: (text) => log.info(text), error: (text) => log.error(text) })
  const stopController = new AbortController()
  const starting = (config.main ? startEdge : start)(config, log, stopController.signal)
  shutDownGracefully(
    { on: ['SIGINT', 'SIGTERM', 'SIGHUP'], closeTimeoutMs: config.drainMs + STOP_TIMEOUT_MS, log },
    async () => {
      stopController.abort()
      // A failed startup has already stopped everything. It is reported below.
      const service = await starting.catch(() => undefined)
      await service?.stop()
    },
  )
  try {
    const service = await starting
    const { refusal } = await stopOnFailure(service, service.supervisor.serving)
    keepReserve(config.journalDir, config.journalReserveBytes, { warn: (text) => log.warn(text) })
    // The reason is already in the log. Nothing must change in the database, not even by a greeting.
    if (refusal) return
    if (service.isMigrating()) await stopOnFailure(service, service.prepared)
    log.info({ url: config.baseUrl, workers: config.workers }, 'Brevis is ready')
    await stopOnFailure(service, service.prepared)
    stopController.signal.throwIfAborted()
    process.stdout.write(await stopOnFailure(service, service.createGreeting()))
    collectStartupGarbage()
  } catch (error) {
    if (!stopController.signal.aborted) throw error
  }
}

/**
 * Checks the operator's files. Processes that are started again later do without files that have
 * become unreadable. The modules are loaded only if a file is set, to keep startup fast.
 */
async function requireFiles({ geoipFile: file, pixelsFile }: Config): Promise<void> {
  if (pixelsFile !== undefined) {
    const { createPixelVendors } = await import('./resources/pixel-vendors.ts')
    createPixelVendors(pixelsFile)
  }
  if (file !== undefined) {
    const { createCountryLookup } = await import('./visitors/country.ts')
    const { close } = await createCountryLookup({ file })
    close()
  }
}

/** Connects to the database or starts the embedded one, migrates it, and starts all processes. */
async function start(config: Config, log: Logger, signal: AbortSignal): Promise<Service> {
  let embedded: EmbeddedPostgres | undefined
  const canServe = findStoredInstance(storeFolder(config.dataDir)) !== undefined
  try {
    if (!config.databaseUrl)
      embedded = await startEmbeddedDatabase(config, log, { mayBeDown: canServe })
    else await secureDataFolder(config.dataDir, { warn: (line) => log.warn(line) })
    const databaseUrl = config.databaseUrl ?? embedded?.url ?? ''
    signal.throwIfAborted()
    const preparation = prepareDatabase({ config, databaseUrl, canServe, signal, log })
    const { attempted, done, isMigrating } = preparation
    // Prevents an unhandled rejection. The error is handled where `prepared` is awaited.
    done.catch(() => {})
    await attempted
    signal.throwIfAborted()
    const { workers } = config
    const supervisor = supervise({
      workers,
      databaseUrl,
      watchdogSeconds: config.watchdogSeconds,
      prepared: done,
      signal,
      log,
      background: 'importer',
    })
    let greeting: Promise<string> | undefined
    const createGreeting = () => {
      greeting = prepareGreeting({ ...config, databaseUrl }, { embedded: embedded !== undefined })
      // If the link store can serve visitors, a failed greeting must not stop the service.
      return canServe ? greeting.catch(() => '') : greeting
    }
    let stopped: Promise<void> | undefined
    const stop = () => {
      stopped ??= stopAll()
      return stopped
    }
    const stopAll = async () => {
      // If the database crashes from now on, it is not restarted. Clicks stay in the journal.
      const restartDisabled = embedded?.disableRestart()
      await supervisor.stop()
      await restartDisabled
      // The database does not stop as long as the greeting has a connection.
      await greeting?.catch(() => {})
      await embedded?.stop()
    }
    return { supervisor, prepared: done, isMigrating, createGreeting, stop }
  } catch (error) {
    await embedded?.stop({ onlyIfStarted: true })
    throw error
  }
}

/**
 * Starts the processes of an edge. Its workers serve after the link store has loaded its instance.
 */
async function startEdge(config: Config, log: Logger, signal: AbortSignal): Promise<Service> {
  await secureDataFolder(config.dataDir, { warn: (line) => log.warn(line) })
  const prepared = Promise.resolve()
  const supervisor = supervise({
    workers: config.workers,
    databaseUrl: undefined,
    watchdogSeconds: config.watchdogSeconds,
    prepared,
    signal,
    log,
    background: 'hand-over',
    workersFirst: false,
  })
  return {
    supervisor,
    prepared,
    isMigrating: () => false,
    createGreeting: async () => '',
    stop: () => supervisor.stop(),
  }
}

/**
 * Starts the embedded database. Its modules are loaded only if it is used, to keep startup fast.
 */
async function startEmbeddedDatabase(
  { dataDir }: Config,
  log: Logger,
  { mayBeDown }: { mayBeDown: boolean },
): Promise<EmbeddedPostgres> {
  const { startEmbedded } = await import('./embedded-postgres/embedded-postgres.ts')
  const embedded = await startEmbedded(dataDir, {
    mayBeDown,
    log: (line) => log.info(line),
    warn: (line) => log.warn(line),
  })
  embedded.keepRunning({ info: (line) => log.info(line), error: (line) => log.error(line) })
  return embedded
}

/** Returns the result of a step, or stops the service if the step fails. */
async function stopOnFailure<T>({ stop }: Service, step: Promise<T>): Promise<T> {
  try {
    return await step
  } catch (error) {
    await stop()
    throw error
  }
}

/** Prints the usage of `brevis start` or an error, if the service was started with arguments. */
async function rejectArguments(args: readonly string[]): Promise<never> {
  const { run } = await import('./cli/run.ts')
  process.exit(await run(['start', ...args]))
}

const args = import.meta.main ? process.argv.slice(2) : []
const running = args.length > 0 ? rejectArguments(args) : main()
running.catch((error: unknown) => {
  process.stderr.write(`brevis: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(1)
})
