import { createBlockList } from '../blocked-hosts/block-list.ts'
import type { Clock } from '../clock.ts'
import type { Config } from '../config.ts'
import type { Instance } from '../db/instance.ts'
import type { Db } from '../db/pool.ts'
import { createDomainProof } from '../domains/domain-proof.ts'
import { createDomainWatch, type DomainWatch } from '../domains/domain-watch.ts'
import { createHosts } from '../domains/hosts.ts'
import { serviceHosts } from '../domains/service-hosts.ts'
import type { Lookup } from '../net/checked-connector.ts'
import { createGuardedFetch } from '../net/guarded-fetch.ts'
import { createOutbox } from '../webhooks/outbox.ts'

type Options = {
  db: Db
  clock: Clock
  config: Config
  instance: Instance
  log: { warn: (details: object, text: string) => void }
  /** Resolves names in place of the system. */
  lookup?: Lookup
}

/** What looks whether branded domains still lead here. */
export function createWatchedDomains({
  db,
  clock,
  config,
  instance,
  log,
  lookup,
}: Options): DomainWatch {
  const outbound = createGuardedFetch({ allow: config.outboundAllow, ...(lookup && { lookup }) })
  const hosts = createHosts({
    ...{ db, serviceHosts: serviceHosts(config), blockList: createBlockList({ db }) },
  })
  const proveDomain = createDomainProof({
    ...{ hosts, outbound, token: instance.token, check: config.domainCheck },
  })
  const watch = createDomainWatch({ db, clock, outbox: createOutbox({ clock }), proveDomain, log })
  return {
    ...watch,
    async stop(): Promise<void> {
      const stopped = watch.stop()
      outbound.close()
      await stopped
    },
  }
}
