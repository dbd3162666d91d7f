import { createQuota } from '../accounts/quota.ts'
import { createBios } from '../bio/bio.service.ts'
import { createBlockList } from '../blocked-hosts/block-list.ts'
import { createBlockedHosts } from '../blocked-hosts/blocked-host.service.ts'
import { checkStatistics } from '../clicks/maintenance/check.ts'
import type { Config } from '../config.ts'
import type { Db } from '../db/pool.ts'
import { inTransaction } from '../db/transaction.ts'
import { createHosts } from '../domains/hosts.ts'
import { serviceHosts } from '../domains/service-hosts.ts'
import { createHolds } from '../holds/hold.service.ts'
import { createLinkModeration } from '../links/link-moderation.ts'
import { createGuardedFetch } from '../net/guarded-fetch.ts'
import { createOperatorActs } from '../operator/acts.ts'
import { createHoldActs } from '../operator/hold-acts.ts'
import { createHostActs } from '../operator/host-acts.ts'
import { createOperatorLog } from '../operator/operator-log.ts'
import { createOverlays } from '../overlays/overlay.service.ts'
import { createSplashes } from '../splash/splash.service.ts'
import { createTransfers } from '../transfer/transfer.service.ts'
import { createOutbox } from '../webhooks/outbox.ts'
import { createAccountFeatures } from './accounts.ts'
import { createCore } from './core.ts'

export type OperatorServices = ReturnType<typeof createOperatorServices>

/**
 * The features that commands work with. They are few and need neither the country table nor the
 * journal, so that a command is done in the time that those alone would take to load.
 */
export function createOperatorServices(config: Config & { databaseUrl: string }) {
  const { baseUrl } = config
  // A recount may take as long as it takes, so nothing here is cut off.
  const core = createCore(config, { name: 'command', max: 2, queryTimeout: 0 })
  const { database, db, clock } = core
  // A command ends before it could see a link again: there is nothing to invalidate.
  const visitLinks = { invalidatePart: () => {} }
  // A page of an API may be large, and slow to come.
  const outbound = createGuardedFetch({ allow: config.outboundAllow, timeoutMs: 30_000 })
  const blockList = createBlockList({ db })
  const hosts = createHosts({ db, serviceHosts: serviceHosts(config), blockList })

  /** The features on `handle`, which is the database itself or one transaction of it. */
  function createFeatures(handle: Db) {
    return {
      ...createAccountFeatures({ db: handle, clock, baseUrl }),
      overlays: createOverlays({ db: handle, visitLinks, blockList }),
      splashes: createSplashes({ db: handle, visitLinks, blockList }),
      moderation: createLinkModeration({ db: handle, baseUrl, hosts }),
      bios: createBios({ db: handle, blockList }),
      blockedHosts: createBlockedHosts({ db: handle, invalidate: () => blockList.invalidate() }),
      holds: createHolds({ db: handle, baseUrl, clock }),
      operatorLog: createOperatorLog({ db: handle, clock }),
    }
  }

  return {
    clock,
    ...createFeatures(db),
    operatorActs: createOperatorActs({ db, bind: createFeatures }),
    hostActs: createHostActs({ db, bind: createFeatures }),
    holdActs: createHoldActs({ db, bind: createFeatures }),
    /** Works with the features on one transaction. */
    atomically: <T>(work: (features: ReturnType<typeof createFeatures>) => Promise<T>) =>
      inTransaction(db, (tx) => work(createFeatures(tx))),
    transfers: createTransfers({
      ...{ db, baseUrl, hosts, blockList, clock, outbound, outbox: createOutbox({ clock }) },
      quota: createQuota({ kind: 'links', limit: config.linksPerAccount }),
    }),
    checkStatistics: () => checkStatistics(db),
    close: () => {
      outbound.close()
      return database.close()
    },
  }
}
