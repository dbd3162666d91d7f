import { pino } from 'pino'
import { type Config, readConfig } from './config.ts'
import { databaseFeed } from './links/store/database-feed.ts'
import type { OpenFeed } from './links/store/feed.ts'
import { followChanges } from './links/store/follower.ts'
import { storeFolder } from './links/store/store-file.ts'
import { terminalLog } from './process/terminal-log.ts'

/**
 * This process keeps the link store of this machine up to date. It exits on SIGTERM, or when its
 * parent process exits.
 */
const config = readConfig()
const log = pino({ level: config.logLevel, name: 'follower' }, await terminalLog())
const stopping = new AbortController()
// A terminal sends these signals to every process. The supervisor decides when to stop this one.
for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => {})
process.on('SIGTERM', () => stopping.abort())
process.once('disconnect', () => stopping.abort())
// The supervisor may have exited before this process started to listen.
if (process.connected === false) stopping.abort()

const folder = storeFolder(config.dataDir)
await followChanges({ openFeed: await chooseFeed(config), folder, log }, stopping.signal)
process.exit(0)

async function chooseFeed({ main, baseUrl, databaseUrl }: Config): Promise<OpenFeed> {
  if (main) {
    const { mainFeed } = await import('./edge/main-feed.ts')
    return mainFeed(main, { baseUrl })
  }
  if (!databaseUrl) throw new Error('DATABASE_URL is not set')
  return databaseFeed(databaseUrl)
}
