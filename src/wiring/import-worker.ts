import { createQuota } from '../accounts/quota.ts'
import { createBlockList } from '../blocked-hosts/block-list.ts'
import type { Clock } from '../clock.ts'
import type { Config } from '../config.ts'
import type { Db } from '../db/pool.ts'
import { createHosts } from '../domains/hosts.ts'
import { serviceHosts } from '../domains/service-hosts.ts'
import { createGuardedFetch } from '../net/guarded-fetch.ts'
import { createImportWorker, type ImportWorker } from '../transfer/import-worker.ts'
import { createKeySeal } from '../transfer/key-seal.ts'
import { createTransfers } from '../transfer/transfer.service.ts'
import { createOutbox } from '../webhooks/outbox.ts'

type Options = {
  db: Db
  clock: Clock
  config: Config
  log: { warn: (details: object, text: string) => void }
}

/** What runs the imports that were begun in the console. */
export function createBackgroundImports({ db, clock, config, log }: Options): ImportWorker {
  // A page of an API may be large, and slow to come.
  const outbound = createGuardedFetch({ allow: config.outboundAllow, timeoutMs: 30_000 })
  const blockList = createBlockList({ db })
  const hosts = createHosts({ db, serviceHosts: serviceHosts(config), blockList })
  const transfers = createTransfers({
    ...{ db, baseUrl: config.baseUrl, hosts, blockList, clock, outbound },
    outbox: createOutbox({ clock }),
    quota: createQuota({ kind: 'links', limit: config.linksPerAccount }),
  })
  const worker = createImportWorker({
    ...{ db, clock, transfers, log },
    keys: createKeySeal({ dataDir: config.dataDir }),
  })
  return {
    ...worker,
    async stop(): Promise<void> {
      outbound.close()
      await worker.stop()
    },
  }
}
