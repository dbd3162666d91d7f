import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { createHandOver } from './clicks/import.ts'
import { systemClock } from './clock.ts'
import { readConfig } from './config.ts'
import { getInstallationId } from './db/installation-id.ts'
import { recordForeignMain } from './edge/edge-state.ts'
import { createMainClicks, createMainClient, createMainFeedOpener } from './edge/main-client.ts'
import { createClickDescription } from './importer/click-importer.ts'
import { followChanges } from './links/store/follower.ts'
import { storeFolder } from './links/store/store-file.ts'
import { awaitStoredInstance, watchStoredInstance } from './links/store/stored-instance.ts'
import { awaitOwnFiles } from './process/await-own-files.ts'
import { requireOwnFiles } from './process/foreign-files.ts'
import {
  collectStartupGarbage,
  createTerminalLog,
  lowerPriority,
  orExit,
} from './process/startup.ts'
import { answerWatchdog } from './process/watchdog.ts'
import { createCountryLookup } from './visitors/country.ts'
import { createClientClassifier } from './visitors/crawler.ts'

/**
 * Milliseconds for which a shutdown hands over clicks. The remaining clicks stay in the journal.
 */
const DRAIN_MS = 5000
/** On machines with few processors, replies have priority. */
const LOW_PRIORITY = 5

/**
 * On an edge, this process hands clicks over to the main installation and keeps the link store up
 * to date. On SIGTERM, it hands over the remaining clicks and exits. It exits immediately when its
 * parent process exits.
 */
lowerPriority(LOW_PRIORITY)
answerWatchdog()
const config = await orExit(readConfig)
const log = pino({ level: config.logLevel, name: 'hand-over' }, await createTerminalLog())
const { main } = config
if (!main) throw new Error('ROLE is not edge')
const stopController = new AbortController()
const abandonController = new AbortController()
// A terminal sends these signals to every process. This process must outlive the workers.
for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => {})
process.on('SIGTERM', () => stopController.abort())
process.once('disconnect', () => process.exit(0))
// The parent may have exited before this process started to listen.
if (process.connected === false) process.exit(0)

const folder = storeFolder(config.dataDir)
collectStartupGarbage()
void followChanges(
  {
    openFeed: createMainFeedOpener(main, config),
    folder,
    authorize: recordForeignMain(folder, (source) => requireOwnFiles(config, source)),
    log,
  },
  stopController.signal,
)
const instance = await awaitStoredInstance(folder, stopController.signal)
if (!instance) process.exit(0)
await Promise.race([awaitOwnFiles(config), once(stopController.signal, 'abort')])
// If the store now belongs to another instance, visitors are hashed with another key. Restarts to
// load it.
watchStoredInstance(folder, instance).catch(() => process.exit(1))
const country = await createCountryLookup({ file: config.geoipFile, log, mayBeUnreadable: true })
const handOver = createHandOver({
  dir: config.journalDir,
  installation: getInstallationId(instance.token),
  authorize: () => requireOwnFiles(config, instance),
  receiver: createMainClicks(createMainClient(main), abandonController.signal),
  describe: createClickDescription(
    instance.visitorKey,
    country,
    createClientClassifier(config.botNames),
  ),
  clock: systemClock,
  keep: config.journalKeep,
  log,
})
const drainTimeout = () => sleep(DRAIN_MS, undefined, { ref: false })
stopController.signal.addEventListener(
  'abort',
  () => void drainTimeout().then(() => abandonController.abort()),
)
await handOver.run(stopController.signal)
await handOver.drain().catch(() => {
  log.warn('some clicks stay in the journal until the next start')
})
process.exit(0)
