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
import { createPeriods } from './clicks/statistics/periods.ts'
import { createStatistics } from './clicks/statistics/statistics.ts'
import { createFairQueue } from './concurrency/fair-queue.ts'
import { bareEnvironment, type Config } from './config.ts'
import type { Db } from './db/pool.ts'
import type { Tx } from './db/transaction.ts'
import { createDomains } from './domains/domain.service.ts'
import { createDomainProof } from './domains/domain-proof.ts'
import { createLinks } from './links/link.service.ts'
import { createLinkEvents } from './links/link-events.ts'
import { createLinkModeration } from './links/link-moderation.ts'
import { createPasswordGuesses } from './links/password-guesses.ts'
import { createSeveralLinks } from './links/several-links.ts'
import type { Lookup } from './net/checked-connector.ts'
import { createGuardedFetch } from './net/guarded-fetch.ts'
import { createOperatorActs } from './operator/acts.ts'
import { createHostActs } from './operator/host-acts.ts'
import { createInstallation } from './operator/installation.ts'
import { createOperatorAccounts } from './operator/operator-accounts.ts'
import { createOperatorLog } from './operator/operator-log.ts'
import { createReportActs } from './operator/report-acts.ts'
import { createOverlays } from './overlays/overlay.service.ts'
import { createPixels } from './pixels/pixel.service.ts'
import { createCodeImages } from './qr/code-images.ts'
import { isCodeLink } from './qr/code-link.queries.ts'
import { createLogoDecoder } from './qr/logo-process.ts'
import { createLogoReader } from './qr/logo-source.ts'
import { createQrCodes } from './qr/qr.service.ts'
import { createQrInputReader } from './qr/qr-input.ts'
import { createReports } from './reports/report.service.ts'
import { createSplashes } from './splash/splash.service.ts'
import { createTags } from './tags/tag.service.ts'
import { createImportQueue } from './transfer/import-queue.service.ts'
import { createKeySeal } from './transfer/key-seal.ts'
import { createTransfers } from './transfer/transfer.service.ts'
import { createVisits, type VisitOverrides, type Visits } from './visit-services.ts'
import { languageName } from './visitors/language.ts'
import { createWebhooks } from './webhooks/webhook.service.ts'
import { createAccountFeatures } from './wiring/accounts.ts'
import { createPasswordQueues } from './wiring/passwords.ts'

export type Services = Awaited<ReturnType<typeof createServices>>
/** What an operation of the API works with, in its transaction where it has one. */
export type OperationFeatures = Services['operationFeatures']

type Overrides = VisitOverrides & {
  /** Resolves the names that outbound requests go to; by default the system does. */
  lookup?: Lookup
  /** Hashes passwords; by default a process of its own does, behind everything else that runs. */
  hasher?: Hasher & { close(): void }
  /** What visits need, where it is there already; it is closed with the rest. */
  visits?: Visits
}

/**
 * Makes and connects everything that serves requests; `wiring/` has what other processes need of it.
 * Close it in the end.
 */
export async function createServices(
  config: Config & { databaseUrl: string },
  {
    lookup,
    hasher = createHashingProcess({ env: bareEnvironment() }),
    visits: given,
    ...overrides
  }: Overrides = {},
) {
  const visits = given ?? (await createVisits(config, overrides))
  const { services: serving, db, log, hashAddress, outbox, caches } = visits
  const { clock, instance, blockList, hosts, visitLinks } = serving
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
  const readQrInput = createQrInputReader({
    hosts,
    blockList,
    readLogo,
    isCodeLink: (alias) => isCodeLink(db, alias),
  })

  // Each may look at a million links, with several processes of the database and two connections.
  const searches = createFairQueue({ maxRunning: 3, maxWaiting: 256, maxWaitingPerKey: 32 })

  const linkQuota = createQuota({ kind: 'links', limit: config.linksPerAccount })
  const codeQuota = createQuota({ kind: 'qr_codes', limit: config.linksPerAccount })

  const linkEvents = createLinkEvents({ outbox, baseUrl: config.baseUrl })

  /** The features on `handle`, which is the database itself or one transaction of it. */
  function createFeatures(handle: Db) {
    return {
      ...createAccountFeatures({ db: handle, clock }, passwords.own),
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
        readInput: readQrInput,
        visitLinks,
        quota: codeQuota,
      }),
      channels: createChannels({ db: handle, baseUrl: config.baseUrl }),
      statistics: createStatistics({ db: handle }),
      periods: createPeriods({ db: handle, languageName }),
      moderation: createLinkModeration({ db: handle, baseUrl: config.baseUrl, hosts }),
      operatorLog: createOperatorLog({ db: handle, clock }),
    }
  }

  const features = createFeatures(db)
  return {
    ...serving,
    ...features,
    /** For an operation without a transaction around it. */
    operationFeatures: features as BoundFeatures<typeof features>,
    /** The features on a transaction. Unbound ones that are called meanwhile work outside of it. */
    bind: (tx: Tx) => createFeatures(tx) as BoundFeatures<typeof features>,
    operatorAccounts: createOperatorAccounts({ db }),
    installation: createInstallation({ db, clock, ...config }),
    operatorActs: createOperatorActs({ db, bind: createFeatures }),
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
      await visits.close()
    },
  }
}
