import type { Access } from '../accounts/access.ts'
import type { BlockList } from '../blocked-hosts/block-list.ts'
import type { Change } from '../db/notify.ts'
import type { Hosts } from '../domains/hosts.ts'
import type { VisitLinks } from '../links/visit-links.ts'
import type { Outbox } from '../webhooks/outbox.ts'

type Caches = {
  blockList: BlockList
  visitLinks: VisitLinks
  hosts: Hosts
  access: Access
  outbox: Outbox
}

/** What this process drops of what it read when something changes, here or elsewhere. */
export function createInvalidation({ blockList, visitLinks, hosts, access, outbox }: Caches) {
  /** The list first: what is read again is held against it. */
  function invalidateHost(host: string): void {
    blockList.invalidate()
    visitLinks.invalidateHost(host)
    hosts.cache.invalidateAll()
  }

  function invalidateAll(): void {
    blockList.invalidate()
    visitLinks.cache.invalidateAll()
    hosts.cache.invalidateAll()
    access.invalidate()
    outbox.invalidate()
  }

  return {
    invalidateHost,

    /** What a change that somebody tells of concerns. */
    invalidate(change: Change): void {
      switch (change.kind) {
        case 'link':
          visitLinks.invalidate(change.domainId, change.alias)
          break
        case 'domain':
          hosts.cache.invalidate(change.host)
          break
        case 'keys':
          access.invalidate()
          break
        case 'account':
          visitLinks.invalidateAccount(change.id)
          hosts.invalidateAccount(change.id)
          break
        case 'blocked-host':
          invalidateHost(change.host)
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
          // From a program of another version, which runs beside this one for a while.
          invalidateAll()
      }
    },

    /** Whether this process is told of changes; while it is not, it keeps nothing for long. */
    setSubscribed(now: boolean): void {
      blockList.setSubscribed(now)
      visitLinks.cache.setSubscribed(now)
      hosts.cache.setSubscribed(now)
      outbox.setSubscribed(now)
      access.invalidate()
    },
  }
}
