import type { HostMatcher } from '../../../blocked-hosts/blocked-host.ts'
import type { Link } from '../../../links/link.ts'
import { type TextsIn, t } from '../../../texts.ts'
import { formatCount, formatMoment } from '../shell/format.ts'

type LinkStatusFields = Pick<
  Link,
  'url' | 'status' | 'block' | 'startsAt' | 'expiresAt' | 'usedUpAt' | 'hasPassword'
> &
  Partial<Pick<Link, 'maxClicks' | 'usedClicks' | 'broken'>>

type State = TextsIn<'link.statuses'>

/** Blocked hosts, and the time zone of times. */
type Context = { hosts: Pick<HostMatcher, 'blocksDestination'>; zone: string }

/** The status of a link. `isBlocked`: an admin disabled it, which the owner cannot undo. */
export type LinkStatusText = {
  state: State
  label: string
  reason: string
  isDisabled: boolean
  isBlocked: boolean
}

/** Returns the current status of a link with its reason. */
export function describeStatus(
  link: LinkStatusFields,
  now: Date,
  context: Context,
): LinkStatusText {
  const [state, reason] = findState(link, now, context)
  return {
    state,
    label: t(`link.statuses.${state}`),
    reason,
    isDisabled: link.block !== null || link.status === 'disabled',
    isBlocked: link.block !== null,
  }
}

function findState(
  { url, status, block, broken, startsAt, expiresAt, usedUpAt, ...link }: LinkStatusFields,
  now: Date,
  { hosts, zone }: Context,
): [state: State, reason: string] {
  if (block?.reason) return ['disabled', t('link.reasons.adminReason', { reason: block.reason })]
  if (block) return ['disabled', t('link.reasons.admin')]
  if (status === 'disabled') return ['disabled', t('link.reasons.disabled')]
  if (usedUpAt && !(expiresAt && expiresAt < usedUpAt)) {
    return ['expired', t('link.reasons.usedUp', { date: formatMoment(usedUpAt, zone) })]
  }
  if (expiresAt && expiresAt <= now) {
    return ['expired', t('link.reasons.expired', { date: formatMoment(expiresAt, zone) })]
  }
  if (hosts.blocksDestination(url)) return ['blocked', t('link.reasons.blocked')]
  if (broken) {
    const { destination, since } = broken
    const problem = t(`link.problems.${broken.problem}`)
    const values = { problem, destination, date: formatMoment(since, zone) }
    return ['broken', t('link.reasons.broken', values)]
  }
  const isScheduled = startsAt !== null && startsAt > now
  const { maxClicks, usedClicks = 0, hasPassword } = link
  const reasons = [
    isScheduled && t('link.reasons.starts', { date: formatMoment(startsAt, zone) }),
    expiresAt && t('link.reasons.expires', { date: formatMoment(expiresAt, zone) }),
    maxClicks &&
      t('link.reasons.clicksUsed', { used: formatCount(usedClicks), max: formatCount(maxClicks) }),
    hasPassword && t('link.reasons.password'),
  ]
  return [isScheduled ? 'scheduled' : 'active', reasons.filter(Boolean).join(' · ')]
}
