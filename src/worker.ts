import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { readConfig } from './config.ts'
import { loadCompilers } from './http/compilers.ts'
import { serveVisitsFirst } from './http/first-visits.ts'
import { createHttpLog } from './http/logging.ts'
import { createServer } from './http/server.ts'
import { begun } from './process/begin.ts'
import { giveUp } from './process/give-up.ts'
import { tellServing } from './process/serving.ts'
import { shareMetrics } from './process/share-metrics.ts'
import { shutDownGracefully } from './process/shutdown.ts'
import { terminalLog } from './process/terminal-log.ts'
import { keepTickShape } from './process/tick-shape.ts'
import type { Services } from './services.ts'
import { createVisits } from './visit-services.ts'

/** How long a proxy has to notice that this process is no longer ready. */
const LAME_DUCK_MS = 500
const CLOSE_WITHIN_MS = 8000
/** The first visitors come first. */
const LOAD_LATER_MS = 500

const loadServices = () => import('./services.ts')
const loadRoutes = () => import('./http/app.ts')
/** What takes a tenth of a second to load at most, without what came before. */
const PARTS = [
  () => import('@sinclair/typebox'),
  loadServices,
  () => import('./http/api/plugin.ts'),
  () => import('./http/console/plugin.ts'),
  loadRoutes,
]

// One HTTP process: serves until it is told to stop. When the process that started it is gone, the
// cluster module ends it on the spot; the clicks that it has answered are in the journal by then.
keepTickShape()
const config = readConfig()
const log = createHttpLog(config, await terminalLog())
const visits = await createVisits(
  { ...config, databaseUrl: await begun() },
  // A worker that is started again while the database is away must not die of that, again and again.
  { patient: true, log: (fields, message) => log.warn(fields, message) },
).catch(giveUp)
const app = createServer(visits.services, { log })
const first = await serveVisitsFirst(app, visits.services, log)
const serving = listen().then(serveAll)

shutDownGracefully(
  { on: ['SIGTERM'], ignore: ['SIGINT', 'SIGHUP'], within: CLOSE_WITHIN_MS, log },
  async () => {
    visits.services.readiness.drain()
    await sleep(LAME_DUCK_MS)
    const services = await serving
    await app.close()
    await services.close()
  },
)

await serving.catch(giveUp)
tellServing()
setTimeout(loadCompilers, LOAD_LATER_MS).unref()

/** Accepts connections, for visits of short links alone at first. */
async function listen(): Promise<void> {
  // It stands for two addresses: only Fastify listens on both, and only once it has its routes.
  if (config.host === 'localhost') return
  app.server.listen({ host: config.host, port: config.port })
  await once(app.server, 'listening')
}

/** Loads, part by part so that visits come in between, and makes whatever no redirect needs. */
async function serveAll(): Promise<Services> {
  for (const load of PARTS) {
    await first.quiet()
    await load()
  }
  const [{ createServices }, { addRoutes }] = await Promise.all([loadServices(), loadRoutes()])
  const services = await createServices(visits.services.config, { visits })
  await first.quiet()
  await addRoutes(app, services, { log, shareMetrics })
  await app.ready()
  first.handOver()
  if (!app.server.listening) await app.listen({ host: config.host, port: config.port })
  return services
}
