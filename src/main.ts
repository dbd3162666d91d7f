import { type Logger, pino } from 'pino'
import { type Config, loadEnvFile, readConfig } from './config.ts'
import { secureDataFolder } from './embedded-postgres/data-folder.ts'
import type { EmbeddedPostgres } from './embedded-postgres/embedded-postgres.ts'
import { storeFolder } from './links/store/store-file.ts'
import { findStoredInstance } from './links/store/stored-instance.ts'
import { prepareDatabase } from './process/prepare-database.ts'
import { shutDownGracefully } from './process/shutdown.ts'
import { type Supervisor, supervise } from './process/supervisor.ts'
import { terminalLog } from './process/terminal-log.ts'
import { welcome } from './process/welcome.ts'

const STOP_TIMEOUT_MS = 9500

type Service = {
  supervisor: Supervisor
  /** Resolves when the database can be used, which is later if it was unavailable at startup. */
  prepared: Promise<void>
  /**
   * Returns the text to print once the service can be used. A first account is only useful then.
   */
  createGreeting(): Promise<string>
  stop(): Promise<void>
}

/** Runs the service. It may be stopped at any time, including during startup. */
async function main(): Promise<void> {
  loadEnvFile()
  const config = readConfig()
  const log = pino({ level: config.logLevel }, await terminalLog())
  const stopping = new AbortController()
  const starting = (config.main ? startEdge : start)(config, log, stopping.signal)
  shutDownGracefully(
    { on: ['SIGINT', 'SIGTERM', 'SIGHUP'], within: STOP_TIMEOUT_MS, log },
    async () => {
      stopping.abort()
      // A failed startup has nothing left to stop, and is reported below.
      const service = await starting.catch(() => undefined)
      await service?.stop()
    },
  )
  try {
    const service = await starting
    await stopOnFailure(service, service.supervisor.serving)
    log.info({ url: config.baseUrl, workers: config.workers }, 'Brevis is ready')
    await stopOnFailure(service, service.prepared)
    stopping.signal.throwIfAborted()
    process.stdout.write(await stopOnFailure(service, service.createGreeting()))
  } catch (error) {
    if (!stopping.signal.aborted) throw error
  }
}

/** Finds or starts the database, migrates it, and starts the processes that serve. */
async function start(config: Config, log: Logger, signal: AbortSignal): Promise<Service> {
  let embedded: EmbeddedPostgres | undefined
  const canServe = findStoredInstance(storeFolder(config.dataDir)) !== undefined
  try {
    if (!config.databaseUrl) embedded = await findEmbedded(config, log, { mayBeDown: canServe })
    else await secureDataFolder(config.dataDir, { warn: (line) => log.warn(line) })
    const databaseUrl = config.databaseUrl ?? embedded?.url ?? ''
    signal.throwIfAborted()
    const { attempted, done } = prepareDatabase({ config, databaseUrl, canServe, signal, log })
    // The rejection is handled later, when the promise is awaited.
    done.catch(() => {})
    await attempted
    signal.throwIfAborted()
    const { workers } = config
    const supervisor = supervise({
      ...{ workers, databaseUrl, prepared: done, signal, log },
      background: ['importer', 'follower'],
    })
    let greeting: Promise<string> | undefined
    const createGreeting = () => {
      greeting = welcome({ ...config, databaseUrl }, { embedded: embedded !== undefined })
      // Serving links does not depend on the greeting.
      return canServe ? greeting.catch(() => '') : greeting
    }
    let stopped: Promise<void> | undefined
    const stop = () => {
      stopped ??= stopAll()
      return stopped
    }
    const stopAll = async () => {
      // A database that dies now is not restarted. Its clicks stay in the journal.
      const restartDisabled = embedded?.disableRestart()
      await supervisor.stop()
      await restartDisabled
      // Its connection would keep the database running.
      await greeting?.catch(() => {})
      await embedded?.stop()
    }
    return { supervisor, prepared: done, createGreeting, stop }
  } catch (error) {
    await embedded?.stop({ onlyIfStarted: true })
    throw error
  }
}

/** Starts the processes of an edge. Its workers serve once the link store knows its instance. */
async function startEdge(config: Config, log: Logger, signal: AbortSignal): Promise<Service> {
  await secureDataFolder(config.dataDir, { warn: (line) => log.warn(line) })
  const prepared = Promise.resolve()
  const supervisor = supervise({
    ...{ workers: config.workers, databaseUrl: undefined, prepared, signal, log },
    background: ['follower', 'hand-over'],
    workersFirst: false,
  })
  return { supervisor, prepared, createGreeting: async () => '', stop: () => supervisor.stop() }
}

/** Loaded only if used, to keep startup fast. */
async function findEmbedded(
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

/** Returns the result of a step. If the step fails, stops the service. */
async function stopOnFailure<T>({ stop }: Service, step: Promise<T>): Promise<T> {
  try {
    return await step
  } catch (error) {
    await stop()
    throw error
  }
}

main().catch((error: unknown) => {
  process.stderr.write(`brevis: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(1)
})
