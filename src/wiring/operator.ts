import { createBios } from '../bio/bio.service.ts'
import { createBlockedHosts } from '../blocked-hosts/blocked-host.service.ts'
import { checkStatistics } from '../clicks/read.ts'
import { createContext, type ReadyConfig } from '../context.ts'
import type { Db } from '../db/pool.ts'
import { inTransaction } from '../db/transaction.ts'
import { createHolds } from '../holds/hold.service.ts'
import { createLinkModeration } from '../links/link-moderation.ts'
import { createOperatorActs } from '../operator/acts.ts'
import { createHoldActs } from '../operator/hold-acts.ts'
import { createHostActs } from '../operator/host-acts.ts'
import { createOperatorLog } from '../operator/operator-log.ts'
import { createOverlays } from '../overlays/overlay.service.ts'
import { createSplashes } from '../splash/splash.service.ts'
import { createTransfers } from '../transfer/transfer.service.ts'
import { createAccountFeatures } from './accounts.ts'

export type OperatorServices = Awaited<ReturnType<typeof createOperatorServices>>

/**
 * The features that commands work with. They are few and need neither the country table nor the
 * journal, so that a command is done in the time that those alone would take to load.
 */
export async function createOperatorServices(config: ReadyConfig) {
  const { baseUrl } = config
  const ctx = await createContext(config, 'command')
  const { db, clock, hosts, blockList, visitLinks, outbound, outbox } = ctx

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
      ...{ db, baseUrl, hosts, blockList, clock, outbound, outbox },
      quota: ctx.quotas.links,
    }),
    checkStatistics: () => checkStatistics(db),
    close: ctx.close,
  }
}
