import { createAccess } from './accounts/access.ts'
import { createBlockList } from './blocked-hosts/block-list.ts'
import { openJournal } from './clicks/journal/journal.ts'
import { createLossReport } from './clicks/journal/loss-report.ts'
import { type Clock, systemClock } from './clock.ts'
import type { Config } from './config.ts'
import { SHORT_STATEMENTS } from './db/client.ts'
import { awaitInstance, loadInstance } from './db/instance.ts'
import { subscribe } from './db/notify.ts'
import { createReadiness } from './db/readiness.ts'
import { createHosts } from './domains/hosts.ts'
import { serviceHosts } from './domains/service-hosts.ts'
import { createVisitLinks } from './links/visit-links.ts'
import { createBeacons } from './pixels/beacons.ts'
import { createCounters } from './process/counters.ts'
import { createCountryLookup } from './visitors/country.ts'
import { createAddressHash } from './visitors/visitor-hash.ts'
import { createOutbox } from './webhooks/outbox.ts'
import { createCore, type Log } from './wiring/core.ts'
import { createInvalidation } from './wiring/invalidation.ts'

export type Visits = Awaited<ReturnType<typeof createVisits>>
/** What answers visits. */
export type VisitServices = Visits['services']

export type VisitOverrides = {
  clock?: Clock
  /** How long the database may take; tests on a busy machine give it longer. */
  timeouts?: { connectTimeout?: number; queryTimeout?: number; patience?: number }
  /** Whether this process is told of changes that others make; a command that ends soon need not be. */
  subscribed?: boolean
  /** Waits for a database that cannot be reached, instead of failing. */
  patient?: boolean
  log?: Log
}

/**
 * Makes and connects what a visit of a short link needs: it serves redirects while the rest of a
 * process is still being loaded (decision 0047), and all other services are put on top of it. Close it in
 * the end.
 */
export async function createVisits(
  config: Config & { databaseUrl: string },
  {
    clock = systemClock,
    log = () => {},
    timeouts = {},
    subscribed = true,
    patient = false,
  }: VisitOverrides = {},
) {
  const { patience, ...limits } = timeouts
  const core = createCore(config, {
    name: 'web',
    ...limits,
    settings: SHORT_STATEMENTS,
    clock,
    log,
  })
  const { database, db } = core
  const instance = patient
    ? await awaitInstance(db, () => log({}, 'the database cannot be reached, trying again'))
    : await loadInstance(db)
  const hashAddress = createAddressHash(instance.visitorKey)
  const country = await createCountryLookup({
    file: config.geoipFile,
    log: { warn: (details, message) => log({ ...details }, message) },
  })
  const blockList = createBlockList({ db })
  const hosts = createHosts({ db, serviceHosts: serviceHosts(config), blockList })
  const visitLinks = createVisitLinks({ db, baseUrl: config.baseUrl, blockList, patience })
  const access = createAccess({ db, limit: config.rateLimitPerMinute, hashAddress })
  const journal = openJournal({
    dir: config.journalDir,
    sync: config.clickSync,
    onLoss: createLossReport(log),
  })
  const outbox = createOutbox({ clock })
  const caches = createInvalidation({ blockList, visitLinks, hosts, access, outbox })
  const subscription = subscribed
    ? subscribe({
        url: config.databaseUrl,
        onChange: caches.invalidate,
        onLost: () => caches.setSubscribed(false),
        onRestored: () => caches.setSubscribed(true),
        log: (message) => log({}, message),
      })
    : undefined

  return {
    services: {
      config,
      clock,
      instance,
      database,
      country,
      blockList,
      hosts,
      visitLinks,
      access,
      journal,
      beaconsOf: createBeacons(config.pixelsFile),
      counters: createCounters(),
      readiness: createReadiness({ db, databaseUrl: config.databaseUrl }),
    },
    // What other services are made of.
    ...{ db, log, hashAddress, outbox, caches },
    async close(): Promise<void> {
      await journal.close()
      country.close()
      await subscription?.close()
      await database.close()
    },
  }
}
