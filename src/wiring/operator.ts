import { createBios } from '../bio/bio.service.ts'
import { checkStatistics } from '../clicks/read.ts'
import { createContext, type ReadyConfig } from '../context.ts'
import type { Db } from '../db/pool.ts'
import { inTransaction, type Tx } from '../db/transaction.ts'
import { createLinkModeration } from '../links/link-moderation.ts'
import { createOverlays } from '../overlays/overlay.service.ts'
import { createSplashes } from '../splash/splash.service.ts'
import { createTransfers } from '../transfer/transfer.service.ts'

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
      overlays: createOverlays({ db: handle, visitLinks, blockList }),
      splashes: createSplashes({ db: handle, visitLinks, blockList }),
      moderation: createLinkModeration({ db: handle, baseUrl, hosts }),
      bios: createBios({ db: handle, blockList }),
    }
  }

  return {
    ...ctx,
    ...createFeatures(db),
    /** Works with the features on one transaction. */
    atomically: <T>(work: (features: ReturnType<typeof createFeatures>, tx: Tx) => Promise<T>) =>
      inTransaction(db, (tx) => work(createFeatures(tx), tx)),
    transfers: createTransfers({
      ...{ db, baseUrl, hosts, blockList, clock, outbound, outbox },
      quota: ctx.quotas.links,
    }),
    checkStatistics: () => checkStatistics(db),
  }
}
