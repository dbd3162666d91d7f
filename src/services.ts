import { createAccounts } from './accounts/account.service.ts'
import type { Hasher } from './accounts/argon.ts'
import { createAttemptLimit } from './accounts/attempt-limit.ts'
import { createChargedPasswords } from './accounts/charged-passwords.ts'
import { createHashingProcess } from './accounts/hashing-process.ts'
import { createHitLimits } from './accounts/hit-limits.ts'
import { createIdempotency } from './accounts/idempotency.ts'
import { createQuota } from './accounts/quota.ts'
import { createRegistrations } from './accounts/registrations.ts'
import { createSessions } from './accounts/session.service.ts'
import { createBios } from './bio/bio.service.ts'
import { createBlockedHosts } from './blocked-hosts/blocked-host.service.ts'
import type { BoundFeatures } from './bound-features.ts'
import { createCampaigns } from './campaigns/campaign.service.ts'
import { createChannels } from './channels/channel.service.ts'
import { openJournal } from './clicks/journal/journal.ts'
import { createLossReport } from './clicks/journal/loss-report.ts'
import { createPeriods } from './clicks/statistics/periods.ts'
import { createStatistics } from './clicks/statistics/statistics.ts'
import { type Clock, systemClock } from './clock.ts'
import { createFairQueue } from './concurrency/fair-queue.ts'
import { bareEnvironment, type Config } from './config.ts'
import { SHORT_STATEMENTS } from './db/client.ts'
import { awaitInstance, loadInstance } from './db/instance.ts'
import type { Db } from './db/pool.ts'
import { createReadiness } from './db/readiness.ts'
import type { Tx } from './db/transaction.ts'
import { createDomains } from './domains/domain.service.ts'
import { createDomainProof } from './domains/domain-proof.ts'
import { createHolds } from './holds/hold.service.ts'
import { createLinks } from './links/link.service.ts'
import { createLinkEvents } from './links/link-events.ts'
import { createLinkModeration } from './links/link-moderation.ts'
import { createPasswordGuesses } from './links/password-guesses.ts'
import { createSeveralLinks } from './links/several-links.ts'
import type { Lookup } from './net/checked-connector.ts'
import { createGuardedFetch } from './net/guarded-fetch.ts'
import { createOperatorActs } from './operator/acts.ts'
import { createHoldActs } from './operator/hold-acts.ts'
import { createHostActs } from './operator/host-acts.ts'
import { createInstallation } from './operator/installation.ts'
import { createOperatorAccounts } from './operator/operator-accounts.ts'
import { createOperatorLog } from './operator/operator-log.ts'
import { createReportActs } from './operator/report-acts.ts'
import { createOverlays } from './overlays/overlay.service.ts'
import { createBeacons } from './pixels/beacons.ts'
import { createPixels } from './pixels/pixel.service.ts'
import { createCounters } from './process/counters.ts'
import { createCodeImages } from './qr/code-images.ts'
import { createLogoDecoder } from './qr/logo-process.ts'
import { createLogoReader } from './qr/logo-source.ts'
import { createQrCodes } from './qr/qr.service.ts'
import { createQrInputReader } from './qr/qr-input.ts'
import { createQrContentReader } from './qr/read-content.ts'
import { createReports } from './reports/report.service.ts'
import { createSplashes } from './splash/splash.service.ts'
import { createTags } from './tags/tag.service.ts'
import { createImportQueue } from './transfer/import-queue.service.ts'
import { createKeySeal } from './transfer/key-seal.ts'
import { createTransfers } from './transfer/transfer.service.ts'
import { createCountryLookup } from './visitors/country.ts'
import { languageName } from './visitors/language.ts'
import { createAddressHash } from './visitors/visitor-hash.ts'
import { createWebhooks } from './webhooks/webhook.service.ts'
import { createAccountFeatures } from './wiring/accounts.ts'
import { createCaches } from './wiring/caches.ts'
import { createCore, type Log } from './wiring/core.ts'
import { createPasswordQueues } from './wiring/passwords.ts'

export type Services = Awaited<ReturnType<typeof createServices>>
/** What an operation of the API works with, in its transaction where it has one. */
export type OperationFeatures = Services['operationFeatures']

type Overrides = {
  clock?: Clock
  /** How long the database may take; tests on a busy machine give it longer. */
  timeouts?: { connectTimeout?: number; queryTimeout?: number; patience?: number }
  /** Whether to listen for changes that other processes make; on by default. */
  subscribed?: boolean
  /** Waits for a database that cannot be reached, instead of failing. */
  patient?: boolean
  log?: Log
  /** Resolves the names that outbound requests go to; by default the system does. */
  lookup?: Lookup
  /** Hashes passwords; by default a process of its own does, behind everything else that runs. */
  hasher?: Hasher & { close(): void }
}

/** Creates and connects everything that serves requests. Close it in the end. */
export async function createServices(
  config: Config & { databaseUrl: string },
  {
    clock = systemClock,
    log = () => {},
    timeouts: { patience, ...timeouts } = {},
    subscribed = true,
    patient = false,
    lookup,
    hasher = createHashingProcess({ env: bareEnvironment() }),
  }: Overrides = {},
) {
  const core = createCore(config, {
    name: 'web',
    ...timeouts,
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
  const journal = openJournal({
    dir: config.journalDir,
    sync: config.clickSync,
    onLoss: createLossReport(log),
  })
  const caches = createCaches(core, { config, hashAddress, patience, subscribed })
  const { blockList, hosts, visitLinks, access, outbox } = caches
  const outbound = createGuardedFetch({
    allow: config.outboundAllow,
    ...(lookup && { lookup }),
  })
  const hits = createHitLimits({ db })
  const passwords = createPasswordQueues(hasher)
  const linkPasswords = createChargedPasswords({
    db,
    passwords: passwords.own,
    perMinute: 2 * config.rateLimitPerMinute,
  })

  const decoder = createLogoDecoder({ env: bareEnvironment() })
  const readLogo = createLogoReader({ outbound, decoder, logoDir: config.logoDir })
  const { baseUrl } = config
  const readQrContent = createQrContentReader({ db, baseUrl, hosts, blockList })
  const readQrInput = createQrInputReader({ readContent: readQrContent, readLogo })

  // Each may look at a million links, with several processes of the database and two connections.
  const searches = createFairQueue({ maxRunning: 3, maxWaiting: 256, maxWaitingPerKey: 32 })

  const linkQuota = createQuota({ kind: 'links', limit: config.linksPerAccount })
  const codeQuota = createQuota({ kind: 'qr_codes', limit: config.linksPerAccount })

  const linkEvents = createLinkEvents({ outbox, baseUrl: config.baseUrl })

  /** The features on `handle`, which is the database itself or one transaction of it. */
  function createFeatures(handle: Db) {
    return {
      ...createAccountFeatures({ db: handle, clock, baseUrl: config.baseUrl }, passwords.own),
      links: createLinks({
        db: handle,
        baseUrl: config.baseUrl,
        hosts,
        blockList,
        passwords: linkPasswords,
        visitLinks,
        clock,
        quota: linkQuota,
        events: linkEvents,
        searches,
      }),
      severalLinks: createSeveralLinks({ db: handle, visitLinks, events: linkEvents }),
      tags: createTags({ db: handle }),
      domains: createDomains({ db: handle, hosts, blockList }),
      campaigns: createCampaigns({ db: handle, baseUrl: config.baseUrl, clock }),
      pixels: createPixels({ db: handle, visitLinks }),
      overlays: createOverlays({ db: handle, visitLinks, blockList }),
      splashes: createSplashes({ db: handle, visitLinks, blockList }),
      bios: createBios({ db: handle, blockList }),
      reports: createReports({
        db: handle,
        hits,
        baseUrl: config.baseUrl,
        hashAddress,
        blockList,
        clock,
      }),
      blockedHosts: createBlockedHosts({ db: handle, invalidate: caches.invalidateHost }),
      qrCodes: createQrCodes({
        db: handle,
        baseUrl: config.baseUrl,
        readContent: readQrContent,
        readInput: readQrInput,
        visitLinks,
        quota: codeQuota,
      }),
      channels: createChannels({ db: handle, baseUrl: config.baseUrl }),
      statistics: createStatistics({ db: handle }),
      periods: createPeriods({ db: handle, languageName }),
      moderation: createLinkModeration({ db: handle, baseUrl: config.baseUrl, hosts }),
      operatorLog: createOperatorLog({ db: handle, clock }),
      holds: createHolds({ db: handle, baseUrl: config.baseUrl, clock }),
    }
  }

  const features = createFeatures(db)
  return {
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
    ...features,
    /** For an operation without a transaction around it. */
    operationFeatures: features as BoundFeatures<typeof features>,
    /** The features on a transaction. Unbound ones that are called meanwhile work outside of it. */
    bind: (tx: Tx) => createFeatures(tx) as BoundFeatures<typeof features>,
    operatorAccounts: createOperatorAccounts({ db }),
    installation: createInstallation({ db, clock, ...config }),
    operatorActs: createOperatorActs({ db, bind: createFeatures }),
    holdActs: createHoldActs({ db, bind: createFeatures }),
    hostActs: createHostActs({ db, bind: createFeatures }),
    reportActs: createReportActs({
      db,
      bind: (tx) => ({
        ...createFeatures(tx),
        acts: createOperatorActs({ db: tx, bind: createFeatures }),
        hostActs: createHostActs({ db: tx, bind: createFeatures }),
      }),
    }),
    idempotency: createIdempotency({ db }),
    outbound,
    proveDomain: createDomainProof({
      hosts,
      outbound,
      token: instance.token,
      check: config.domainCheck,
    }),
    transfers: createTransfers({
      ...{ db, baseUrl: config.baseUrl, hosts, blockList, clock, outbound, outbox },
      quota: linkQuota,
    }),
    importQueue: createImportQueue({
      db,
      keys: createKeySeal({ dataDir: config.dataDir }),
      mostBytes: config.importUploadBytes,
      mostBytesOfAll: config.importUploadsBytes,
    }),
    webhooks: createWebhooks({ db, clock, outbox }),
    readLogo,
    codeImages: createCodeImages({ db, baseUrl: config.baseUrl, hashAddress }),
    visitPasswords: passwords.visits,
    guesses: createPasswordGuesses({ db, hashAddress, passwords: passwords.visits, log }),
    answerAttempts: createAttemptLimit({ hits, hashAddress, what: 'answer', limit: 20 }),
    registrations: createRegistrations({
      db,
      hits,
      perDay: config.registrationsPerDay,
      hashAddress,
      accounts: createAccounts({ db, passwords: passwords.registrations, clock }),
    }),
    sessions: createSessions({ db, hits, hashAddress, passwords: passwords.sessions, clock }),
    async close(): Promise<void> {
      outbound.close()
      decoder.close()
      hasher.close()
      await journal.close()
      country.close()
      await caches.close()
      await database.close()
    },
  }
}
