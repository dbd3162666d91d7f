import closeWithGrace from 'close-with-grace'
import { pino } from 'pino'
import { loadEnvFile, readConfig } from './config.ts'
import { startEmbedded } from './db/embedded.ts'
import { migrate } from './db/migrate.ts'
import { welcome } from './first-account.ts'
import { supervise } from './supervisor.ts'

const STOP_WITHIN_MS = 9500

/** The service: finds or starts its database, brings it up to date and supervises what serves. */
async function main(): Promise<void> {
  loadEnvFile()
  const config = readConfig()
  const log = pino({ level: config.logLevel })
  const embedded = config.databaseUrl
    ? undefined
    : await startEmbedded(config.dataDir, { log: (line) => log.info(line) })
  const databaseUrl = config.databaseUrl ?? embedded?.url ?? ''
  try {
    if (config.migrateOnStart) {
      for (const name of await migrate(databaseUrl)) log.info({ name }, 'applied a migration')
    }
    const greeting = await welcome({ ...config, databaseUrl }, { embedded: embedded !== undefined })
    const supervisor = supervise({ workers: config.workers, databaseUrl, log })
    closeWithGrace({ delay: STOP_WITHIN_MS, logger: log }, async () => {
      await supervisor.stop()
      await embedded?.stop()
    })
    await supervisor.listening
    log.info({ url: config.baseUrl, workers: config.workers }, 'Brevis is ready')
    process.stdout.write(greeting)
  } catch (error) {
    await embedded?.stop({ onlyIfStarted: true })
    throw error
  }
}

main().catch((error: unknown) => {
  process.stderr.write(`brevis: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(1)
})
