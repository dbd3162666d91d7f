import closeWithGrace from 'close-with-grace'
import { readConfig } from './config.ts'
import { buildApp } from './http/app.ts'
import { createServices } from './services.ts'

/** How long a proxy has to notice that this process is no longer ready. */
const LAME_DUCK_MS = 500
const CLOSE_WITHIN_MS = 8000

// One HTTP process: serves until it is told to stop, or until the process that started it is gone.
const config = readConfig()
if (!config.databaseUrl) throw new Error('DATABASE_URL is missing')
let report = (fields: Record<string, unknown>, message: string) => console.error(message, fields)
const services = await createServices(
  { ...config, databaseUrl: config.databaseUrl },
  { log: (fields, message) => report(fields, message) },
)
const app = await buildApp(services)
report = (fields, message) => app.log.warn(fields, message)

// Ctrl-C reaches every process of the terminal; the supervisor alone decides who ends when.
process.on('SIGINT', () => {})
const { close } = closeWithGrace(
  { delay: CLOSE_WITHIN_MS, logger: app.log, skip: ['SIGINT'] },
  async ({ err }) => {
    if (err) app.log.fatal({ err }, 'stopping after an error')
    services.readiness.drain()
    await new Promise((resolve) => setTimeout(resolve, LAME_DUCK_MS))
    await app.close()
    await services.close()
  },
)
process.on('disconnect', close)

await app.listen({ host: config.host, port: config.port })
