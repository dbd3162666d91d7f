import { createAccess } from '../accounts/access.ts'
import { createBlockList } from '../blocked-hosts/block-list.ts'
import type { Config } from '../config.ts'
import { subscribe } from '../db/notify.ts'
import { createHosts } from '../domains/hosts.ts'
import { serviceHosts } from '../domains/service-hosts.ts'
import { createVisitLinks } from '../links/visit-links.ts'
import { createOutbox } from '../webhooks/outbox.ts'
import type { Core } from './core.ts'
import { createInvalidation } from './invalidation.ts'

type Options = {
  config: Config & { databaseUrl: string }
  hashAddress: (address: string) => string
  /** How long a visit waits for its link, in milliseconds. */
  patience?: number | undefined
  /** Whether to listen for changes that other processes make. */
  subscribed: boolean
}

/** Creates everything that a serving process caches from the database, and its invalidation. */
export function createCaches(
  { db, clock, log }: Core,
  { config, hashAddress, patience, subscribed }: Options,
) {
  const blockList = createBlockList({ db })
  const hosts = createHosts({ db, serviceHosts: serviceHosts(config), blockList })
  const visitLinks = createVisitLinks({ db, baseUrl: config.baseUrl, blockList, patience })
  const access = createAccess({ db, limit: config.rateLimitPerMinute, hashAddress })
  const outbox = createOutbox({ clock })
  const caches = { blockList, hosts, visitLinks, access, outbox }
  const { invalidate, invalidateHost, setSubscribed } = createInvalidation(caches)
  const subscription = subscribed
    ? subscribe({
        url: config.databaseUrl,
        onChange: invalidate,
        onLost: () => setSubscribed(false),
        onRestored: () => setSubscribed(true),
        log: (message) => log({}, message),
      })
    : undefined
  return {
    ...caches,
    invalidateHost,
    async close(): Promise<void> {
      await subscription?.close()
    },
  }
}
