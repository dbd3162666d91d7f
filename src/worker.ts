import type { FastifyInstance } from 'fastify'
import { type Config, readConfig } from './config.ts'
import { createContext } from './context.ts'
import { watchInstance } from './db/instance.ts'
import { buildApp } from './http/app.ts'
import { loadCompilers } from './http/compilers.ts'
import { drainServer } from './http/drain.ts'
import { buildEdgeApp } from './http/edge-app.ts'
import { createHttpLog } from './http/logging.ts'
import { createRefusingApp } from './http/refusing-app.ts'
import { storeFolder } from './links/store/store-file.ts'
import { watchStoredInstance } from './links/store/stored-instance.ts'
import { awaitOwnFiles, type Refusal } from './process/await-own-files.ts'
import { ForeignFilesError } from './process/foreign-files.ts'
import { shareMetrics } from './process/share-metrics.ts'
import { shutDownGracefully } from './process/shutdown.ts'
import {
  collectStartupGarbage,
  createTerminalLog,
  exitWithError,
  type Listening,
  retainTickShape,
} from './process/startup.ts'
import { answerWatchdog } from './process/watchdog.ts'

/** After draining. */
const CLOSE_TIMEOUT_MS = 8000
/** Delays loading the compilers until the first visitors are served. */
const LOAD_COMPILERS_AFTER_MS = 500

// This process serves HTTP. If its parent process dies, the cluster module ends it immediately.
// Acknowledged clicks are already in the journal.
retainTickShape()
answerWatchdog()
await serve()
  .catch((error) => {
    if (error instanceof ForeignFilesError) return refuse(error)
    throw error
  })
  .catch(exitWithError)

async function serve(): Promise<void> {
  const config = readConfig()
  const { databaseUrl = '', main } = config
  if (!databaseUrl && !main) throw new Error('DATABASE_URL is not set')
  const log = createHttpLog(config, await createTerminalLog())
  const services = await createContext(
    { ...config, databaseUrl },
    'web',
    // A worker that starts while the database is unavailable must not crash in a loop.
    {
      waitsForDatabase: true,
      log: (fields, message) => log.warn(fields, message),
      reportLoss: (fields, message) => log.error(fields, message),
    },
  )
  const { postToMain } = services
  const app = postToMain
    ? await buildEdgeApp({ ...services, postToMain }, { log, shareMetrics })
    : await buildApp(services, { log, shareMetrics })
  shutDownGracefully(
    {
      on: ['SIGTERM'],
      ignore: ['SIGINT', 'SIGHUP'],
      closeTimeoutMs: config.drainMs + CLOSE_TIMEOUT_MS,
      log,
    },
    async () => {
      services.readiness.drain()
      await drainServer(app.server, config.drainMs, { isPortShared: config.workers > 1 })
      await app.close()
      await services.close()
    },
  )
  await listen(app, config)
  setTimeout(loadCompilers, LOAD_COMPILERS_AFTER_MS).unref()
  collectStartupGarbage()
  // The instance may come from the link store, and the database may be replaced. The process then
  // exits and is restarted.
  if (main) await watchStoredInstance(storeFolder(config.dataDir), services.instance)
  else await watchInstance(services.database.db, services.instance)
}

/**
 * Listens, and tells the parent process. An only worker has the port to itself: the copy that the
 * cluster module would keep in the parent process accepts connections that nobody serves, while the
 * worker closes.
 */
async function listen(app: FastifyInstance, { host, port, workers }: Config): Promise<void> {
  await app.listen({ host, port, exclusive: workers === 1 })
  const message: Listening = { type: 'brevis:listening' }
  process.send?.(message)
}

/** Serves nothing while the data folder belongs to another installation than the database. */
async function refuse({ message: reason }: ForeignFilesError): Promise<void> {
  const config = readConfig()
  const log = createHttpLog(config, await createTerminalLog())
  const refusal: Refusal = { type: 'brevis:refusal', reason }
  process.send?.(refusal)
  const app = createRefusingApp(reason)
  shutDownGracefully(
    { on: ['SIGTERM'], ignore: ['SIGINT', 'SIGHUP'], closeTimeoutMs: CLOSE_TIMEOUT_MS, log },
    () => app.close(),
  )
  await listen(app, config)
  await awaitOwnFiles(config)
  process.exit(0)
}
