import { createBios } from './bio/bio.service.ts'
import type { BoundFeatures } from './bound-features.ts'
import { createCampaigns } from './campaigns/campaign.service.ts'
import { createChannels } from './channels/channel.service.ts'
import { createPeriods, createStatistics } from './clicks/read.ts'
import { type ContextOptions, createContext, type ReadyConfig } from './context.ts'
import type { Db } from './db/pool.ts'
import type { Tx } from './db/transaction.ts'
import { createDomains } from './domains/domain.service.ts'
import { createDomainProof } from './domains/domain-proof.ts'
import { createLinks } from './links/link.service.ts'
import { createLinkEvents } from './links/link-events.ts'
import { createLinkModeration } from './links/link-moderation.ts'
import { createSeveralLinks } from './links/several-links.ts'
import { createOverlays } from './overlays/overlay.service.ts'
import { createPixels } from './pixels/pixel.service.ts'
import { createQrCodes } from './qr/qr.service.ts'
import { createQrInputReader } from './qr/qr-input.ts'
import { createQrContentReader } from './qr/read-content.ts'
import { createSplashes } from './splash/splash.service.ts'
import { createTags } from './tags/tag.service.ts'
import { createImportQueue } from './transfer/import-queue.service.ts'
import { createTransfers } from './transfer/transfer.service.ts'
import { createWebhooks } from './webhooks/webhook.service.ts'

export type Services = Awaited<ReturnType<typeof createServices>>
/** What an operation of the API works with, in its transaction where it has one. */
export type OperationFeatures = Services['operationFeatures']

/** Creates everything that serves requests. Close it in the end. */
export async function createServices(config: ReadyConfig, options: ContextOptions = {}) {
  const ctx = await createContext(config, 'web', options)
  const { db, clock, hosts, blockList, visitLinks, outbox } = ctx
  const { outbound, instance, linkPasswords, searches, readLogo } = ctx
  const { links: linkQuota, codes: codeQuota } = ctx.quotas
  const { baseUrl } = config
  const readQrContent = createQrContentReader({ db, baseUrl, hosts, blockList })
  const readQrInput = createQrInputReader({ readContent: readQrContent, readLogo })

  const linkEvents = createLinkEvents({ outbox, baseUrl: config.baseUrl })

  /** The features on `handle`, which is the database itself or one transaction of it. */
  function createFeatures(handle: Db) {
    return {
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
  }
}
