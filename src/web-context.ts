import { createAccess } from './accounts/access.ts'
import { createIdempotency } from './accounts/idempotency.ts'
import { createLossReport, openJournal } from './clicks/append.ts'
import type { Clock } from './clock.ts'
import type { FairQueue } from './concurrency/fair-queue.ts'
import { bareEnvironment, type Config } from './config.ts'
import { awaitInstance, loadInstance } from './db/instance.ts'
import { subscribe } from './db/notify.ts'
import type { Db } from './db/pool.ts'
import { createReadiness } from './db/readiness.ts'
import { type Caches, createInvalidation } from './invalidation.ts'
import { createPasswordGuesses } from './links/password-guesses.ts'
import { createShareImageReader } from './links/share-images/read-image.ts'
import { storeFolder } from './links/store/store-file.ts'
import type { StoreReader } from './links/store/store-reader.ts'
import { findStoredInstance } from './links/store/stored-instance.ts'
import { createLiveFeed } from './live/live-feed.ts'
import type { Lookup } from './net/checked-connector.ts'
import type { GuardedFetch } from './net/guarded-fetch.ts'
import { createIdentityProvider } from './people/oidc/provider.ts'
import { createPixelVendors } from './pixels/beacons.ts'
import { createCounters } from './process/counters.ts'
import { createCodeImages } from './qr/code-images.ts'
import { createLogoDecoder } from './qr/logo-process.ts'
import { createLogoReader } from './qr/logo-source.ts'
import { createCountryLookup } from './visitors/country.ts'
import { createAddressHash } from './visitors/visitor-hash.ts'

export type WebParts = Omit<Awaited<ReturnType<typeof createWebParts>>, 'close'>

type Options = Omit<Caches, 'access'> & {
  store: StoreReader
  config: Config & { databaseUrl: string }
  db: Db
  log: (fields: Record<string, unknown>, message: string) => void
  outbound: GuardedFetch
  clock: Clock
  rawReads: FairQueue
  heartbeatMs?: number | undefined
  passwords: { visits: Parameters<typeof createPasswordGuesses>[0]['passwords'] }
  subscribed?: boolean
  patient?: boolean
  lookup?: Lookup | undefined
}

/**
 * Creates the dependencies of a process that serves requests, and keeps its caches consistent with
 * the database.
 */
export async function createWebParts({
  config,
  db,
  log,
  outbound,
  passwords,
  clock,
  rawReads,
  heartbeatMs,
  subscribed = true,
  patient = false,
  lookup,
  ...caches
}: Options) {
  const { baseUrl, databaseUrl } = config
  const instance = patient
    ? await awaitInstance(db, {
        onUnreachable: () => log({}, 'the database cannot be reached, trying again'),
        findStored: () => findStoredInstance(storeFolder(config.dataDir)),
      })
    : await loadInstance(db)
  caches.store.open(instance.token)
  const hashAddress = createAddressHash(instance.visitorKey)
  const country = await createCountryLookup({
    file: config.geoipFile,
    log: { warn: (details, message) => log({ ...details }, message) },
  })
  const journal = openJournal({
    dir: config.journalDir,
    sync: config.clickSync,
    onLoss: createLossReport(log),
  })
  const access = createAccess({ db, limit: config.rateLimitPerMinute, hashAddress })
  const live = createLiveFeed({ clock, rawReads }, db, { heartbeatMs })
  const { invalidate, setSubscribed } = createInvalidation({ ...caches, access })
  const subscription = subscribed
    ? subscribe({
        url: databaseUrl,
        onChange: invalidate,
        onClicks: live.receive,
        onLost: () => setSubscribed(false),
        onRestored: () => setSubscribed(true),
        log: (message) => log({}, message),
      })
    : undefined
  const decoder = createLogoDecoder({ env: bareEnvironment() })
  return {
    instance,
    hashAddress,
    country,
    journal,
    access,
    live,
    readLogo: createLogoReader({ outbound, decoder, logoDir: config.logoDir }),
    readShareImage: createShareImageReader({ decoder }),
    codeImages: createCodeImages({ db, baseUrl, hashAddress }),
    guesses: createPasswordGuesses({ db, hashAddress, passwords: passwords.visits, log }),
    idempotency: createIdempotency({ db }),
    pixelVendors: createPixelVendors(config.pixelsFile),
    counters: createCounters(),
    /** The identity provider; undefined if the settings name none. */
    provider:
      config.oidc &&
      createIdentityProvider({
        ...{ settings: config.oidc, baseUrl, allow: config.outboundAllow, lookup, log },
      }),
    readiness: createReadiness({ db, databaseUrl }),
    async close(): Promise<void> {
      live.close()
      decoder.close()
      await journal.close()
      country.close()
      await subscription?.close()
    },
  }
}
