import type { BlockList } from './blocked-hosts/block-list.ts'
import { KINDS, type LocalStore } from './db/local-store.ts'
import type { Change } from './db/notify.ts'
import type { Hosts } from './domains/hosts.ts'
import type { Access } from './identity/access.ts'
import type { VisitLinks } from './links/visit-links.ts'
import type { Outbox } from './webhooks/outbox.ts'

export type Caches = {
  store: LocalStore
  blockList: BlockList
  visitLinks: VisitLinks
  hosts: Hosts
  access: Access
  outbox: Outbox
}

/**
 * Invalidates everything that a blocked host affects. The block list comes first, because reloaded
 * values are checked against it.
 */
export function invalidateHost(
  { blockList, visitLinks, hosts }: Pick<Caches, 'blockList' | 'visitLinks' | 'hosts'>,
  host: string,
): void {
  blockList.invalidate()
  visitLinks.invalidateHost(host)
  hosts.cache.invalidateAll()
}

/** Keeps this process's caches consistent with changes by this and other processes. */
export function createInvalidation(caches: Caches) {
  const { store, blockList, visitLinks, hosts, access, outbox } = caches

  function invalidateAll(): void {
    for (const kind of KINDS) store.touch(kind)
    blockList.invalidate()
    visitLinks.cache.invalidateAll()
    hosts.cache.invalidateAll()
    access.invalidate()
    outbox.invalidate()
  }

  return {
    /** Invalidates everything that a change affects. */
    invalidate(change: Change): void {
      switch (change.kind) {
        case 'link':
          visitLinks.invalidate(change.domainId, change.alias)
          break
        case 'domain':
          hosts.invalidate(change.host)
          if (change.id !== undefined) visitLinks.invalidateDomain(change.id)
          break
        case 'keys':
          access.invalidate()
          break
        case 'account':
          visitLinks.invalidateAccount(change.id)
          hosts.invalidateAccount(change.id)
          break
        case 'blocked-host':
          invalidateHost(caches, change.host)
          break
        case 'webhooks':
          outbox.invalidate(change.accountId)
          break
        case 'pixel':
        case 'splash':
        case 'overlay':
          visitLinks.invalidatePart(change)
          break
        default:
          change satisfies never
          // During an upgrade, another version of the program may send unknown changes.
          invalidateAll()
      }
    },

    /**
     * Removes everything that was read from the local store. Called after the store has changed.
     */
    clear(): void {
      blockList.invalidate()
      visitLinks.cache.clear()
      hosts.cache.clear()
    },

    /**
     * Records whether this process receives notifications. Without them, values are cached only
     * briefly.
     */
    setSubscribed(isSubscribed: boolean): void {
      store.setSubscribed(isSubscribed)
      blockList.setSubscribed(isSubscribed)
      visitLinks.cache.setSubscribed(isSubscribed)
      hosts.cache.setSubscribed(isSubscribed)
      outbox.setSubscribed(isSubscribed)
      access.invalidate()
    },
  }
}
