import { createPeriods, createStatistics } from './clicks/read.ts'
import { type ContextOptions, createContext, type ReadyConfig } from './context.ts'
import type { Db } from './db/pool.ts'
import type { Tx } from './db/transaction.ts'
import { createLinks } from './links/link.service.ts'
import { createLinkEvents } from './links/link-events.ts'
import { createSeveralLinks } from './links/several-links.ts'

export type Services = Awaited<ReturnType<typeof createServices>>
/** What an operation of the API works with, in its transaction where it has one. */
export type OperationFeatures = Services['operationFeatures']

/** Creates everything that serves requests. Close it in the end. */
export async function createServices(config: ReadyConfig, options: ContextOptions = {}) {
  const ctx = await createContext(config, 'web', options)
  const { db, clock, hosts, blockList, visitLinks, outbox } = ctx
  const { linkPasswords, searches } = ctx
  const linkQuota = ctx.quotas.links
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
      statistics: createStatistics({ db: handle }),
      periods: createPeriods({ db: handle }),
    }
  }

  const features = createFeatures(db)
  return {
    ...ctx,
    ...features,
    /** For an operation without a transaction around it. */
    operationFeatures: features,
    /** The features on a transaction. Unbound ones that are called meanwhile work outside of it. */
    bind: (tx: Tx) => createFeatures(tx),
  }
}
