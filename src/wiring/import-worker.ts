import type { Context } from '../context.ts'
import type { Db } from '../db/pool.ts'
import { createImportWorker, type ImportWorker } from '../transfer/import-worker.ts'
import { createTransfers } from '../transfer/transfer.service.ts'

/** What runs the imports that were begun in the console. */
export function createBackgroundImports(ctx: Context, db: Db): ImportWorker {
  const { clock, config, hosts, blockList, outbound, outbox, keySeal: keys } = ctx
  const transfers = createTransfers({
    ...{ db, baseUrl: config.baseUrl, hosts, blockList, clock, outbound, outbox },
    quota: ctx.quotas.links,
  })
  const log = { warn: (details: object, text: string) => ctx.log({ ...details }, text) }
  return createImportWorker({ db, clock, transfers, keys, log })
}
