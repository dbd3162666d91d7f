import { createAccounts } from './accounts/account.service.ts'
import { createAttemptLimit } from './accounts/attempt-limit.ts'
import { createRegistrations } from './accounts/registrations.ts'
import { createSessions } from './accounts/session.service.ts'
import { createBios } from './bio/bio.service.ts'
import { createBlockedHosts } from './blocked-hosts/blocked-host.service.ts'
import type { BoundFeatures } from './bound-features.ts'
import { createCampaigns } from './campaigns/campaign.service.ts'
import { createChannels } from './channels/channel.service.ts'
import { createPeriods, createStatistics } from './clicks/read.ts'
import { type ContextOptions, createContext, type ReadyConfig } from './context.ts'
import type { Db } from './db/pool.ts'
import type { Tx } from './db/transaction.ts'
import { createDomains } from './domains/domain.service.ts'
import { createDomainProof } from './domains/domain-proof.ts'
import { createHolds } from './holds/hold.service.ts'
import { invalidateHost } from './invalidation.ts'
import { createLinks } from './links/link.service.ts'
import { createLinkEvents } from './links/link-events.ts'
import { createLinkModeration } from './links/link-moderation.ts'
import { createSeveralLinks } from './links/several-links.ts'
import { createOperatorActs } from './operator/acts.ts'
import { createHoldActs } from './operator/hold-acts.ts'
import { createHostActs } from './operator/host-acts.ts'
import { createInstallation } from './operator/installation.ts'
import { createOperatorAccounts } from './operator/operator-accounts.ts'
import { createOperatorLog } from './operator/operator-log.ts'
import { createReportActs } from './operator/report-acts.ts'
import { createOverlays } from './overlays/overlay.service.ts'
import { createPixels } from './pixels/pixel.service.ts'
import { createQrCodes } from './qr/qr.service.ts'
import { createQrInputReader } from './qr/qr-input.ts'
import { createQrContentReader } from './qr/read-content.ts'
import { createReports } from './reports/report.service.ts'
import { createSplashes } from './splash/splash.service.ts'
import { createTags } from './tags/tag.service.ts'
import { createImportQueue } from './transfer/import-queue.service.ts'
import { createTransfers } from './transfer/transfer.service.ts'
import { createWebhooks } from './webhooks/webhook.service.ts'
import { createAccountFeatures } from './wiring/accounts.ts'

export type Services = Awaited<ReturnType<typeof createServices>>
/** What an operation of the API works with, in its transaction where it has one. */
export type OperationFeatures = Services['operationFeatures']

/** Creates everything that serves requests. Close it in the end. */
export async function createServices(config: ReadyConfig, options: ContextOptions = {}) {
  const ctx = await createContext(config, 'web', options)
  const { db, clock, hosts, blockList, visitLinks, outbox, hits, hashAddress, passwords } = ctx
  const { outbound, instance, linkPasswords, searches, readLogo } = ctx
  const { links: linkQuota, codes: codeQuota } = ctx.quotas
  const { baseUrl } = config
  const readQrContent = createQrContentReader({ db, baseUrl, hosts, blockList })
  const readQrInput = createQrInputReader({ readContent: readQrContent, readLogo })

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
      blockedHosts: createBlockedHosts({
        db: handle,
        invalidate: (host) => invalidateHost(ctx, host),
      }),
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
      periods: createPeriods({ db: handle }),
      moderation: createLinkModeration({ db: handle, baseUrl: config.baseUrl, hosts }),
      operatorLog: createOperatorLog({ db: handle, clock }),
      holds: createHolds({ db: handle, baseUrl: config.baseUrl, clock }),
    }
  }

  const features = createFeatures(db)
  return {
    ...ctx,
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
      keys: ctx.keySeal,
      mostBytes: config.importUploadBytes,
      mostBytesOfAll: config.importUploadsBytes,
    }),
    webhooks: createWebhooks({ db, clock, outbox }),
    answerAttempts: createAttemptLimit({ hits, hashAddress, what: 'answer', limit: 20 }),
    registrations: createRegistrations({
      db,
      hits,
      perDay: config.registrationsPerDay,
      hashAddress,
      accounts: createAccounts({ db, passwords: passwords.registrations, clock }),
    }),
    sessions: createSessions({ db, hits, hashAddress, passwords: passwords.sessions, clock }),
  }
}
