import type { InstanceContext } from '../context.ts'
import type { Db } from '../db/pool.ts'
import { createDomainProof } from '../domains/domain-proof.ts'
import { createDomainWatch, type DomainWatch } from '../domains/domain-watch.ts'

/** What looks whether branded domains still lead here. */
export function createWatchedDomains(ctx: InstanceContext, db: Db): DomainWatch {
  const { clock, config, hosts, outbound, outbox, instance } = ctx
  const proveDomain = createDomainProof({
    ...{ hosts, outbound, token: instance.token, check: config.domainCheck },
  })
  const log = { warn: (details: object, text: string) => ctx.log({ ...details }, text) }
  return createDomainWatch({ db, clock, outbox, proveDomain, log })
}
