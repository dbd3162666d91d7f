import type { HostMatcher } from '../blocked-hosts/blocked-host.ts'
import type { BioLink } from '../db/column-types.ts'

/** The properties of a button's link that determine whether visitors see the button. */
export type ButtonTarget = {
  url: string
  status: 'active' | 'disabled'
  /** Whether an admin disabled it. */
  isBlocked: boolean
  startsAt: Date | null
  endsAt: Date | null
  /** When the last of its clicks was used. */
  usedUpAt: Date | null
  /** Whether it redirects to another URL after it has expired. */
  redirectsWhenExpired: boolean
}

/** The reason why a page does not show a button. */
export type HiddenReason =
  | 'blockedHost'
  | 'deleted'
  | 'disabled'
  | 'disabledByAdmin'
  | 'notActive'
  | 'expired'
  | 'usedUp'

/** Returns why visitors do not see a button, or undefined if they see it. */
export function getHiddenReason(
  { linkId, url }: Pick<BioLink, 'linkId' | 'url'>,
  targets: ReadonlyMap<number, ButtonTarget>,
  { list, now }: { list: Pick<HostMatcher, 'blocksDestination'>; now: Date },
): HiddenReason | undefined {
  if (list.blocksDestination(url)) return 'blockedHost'
  if (linkId === undefined) return undefined
  const target = targets.get(linkId)
  if (!target) return 'deleted'
  if (target.isBlocked) return 'disabledByAdmin'
  if (target.status === 'disabled') return 'disabled'
  if (target.endsAt && target.endsAt <= now) {
    if (target.redirectsWhenExpired) return undefined
    return target.usedUpAt?.getTime() === target.endsAt.getTime() ? 'usedUp' : 'expired'
  }
  if (target.startsAt && target.startsAt > now) return 'notActive'
  return list.blocksDestination(target.url) ? 'blockedHost' : undefined
}
