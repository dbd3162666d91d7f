import { setTimeout as sleep } from 'node:timers/promises'
import { readConfig } from './config.ts'
import { createContext } from './context.ts'
import { confirmInstance } from './db/instance.ts'
import { buildApp } from './http/app.ts'
import { loadCompilers } from './http/compilers.ts'
import { createHttpLog } from './http/logging.ts'
import { giveUp } from './process/give-up.ts'
import { shareMetrics } from './process/share-metrics.ts'
import { shutDownGracefully } from './process/shutdown.ts'
import { terminalLog } from './process/terminal-log.ts'
import { keepTickShape } from './process/tick-shape.ts'

/** How long a proxy has to notice that this process is no longer ready. */
const LAME_DUCK_MS = 500
const CLOSE_WITHIN_MS = 8000
/** The first visitors come first. */
const LOAD_COMPILERS_AFTER_MS = 500

// One HTTP process: serves until it is told to stop. When the process that started it is gone, the
// cluster module ends it on the spot; the clicks that it has answered are in the journal by then.
keepTickShape()
await serve().catch(giveUp)

async function serve(): Promise<void> {
  const config = readConfig()
  const { databaseUrl } = config
  if (!databaseUrl) throw new Error('DATABASE_URL is not set')
  const log = createHttpLog(config, await terminalLog())
  const services = await createContext(
    { ...config, databaseUrl },
    'web',
    // A worker that is restarted while the database is away must not die of that, again and again.
    { patient: true, log: (fields, message) => log.warn(fields, message) },
  )
  const app = await buildApp(services, { log, shareMetrics })
  shutDownGracefully(
    { on: ['SIGTERM'], ignore: ['SIGINT', 'SIGHUP'], within: CLOSE_WITHIN_MS, log },
    async () => {
      services.readiness.drain()
      await sleep(LAME_DUCK_MS)
      await app.close()
      await services.close()
    },
  )
  await app.listen({ host: config.host, port: config.port })
  setTimeout(loadCompilers, LOAD_COMPILERS_AFTER_MS).unref()
  // It may have come from the link store. Restarted, this process takes the right one.
  await confirmInstance(services.database.db, services.instance)
}
