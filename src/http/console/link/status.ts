import type { HostMatcher } from '../../../blocked-hosts/blocked-host.ts'
import type { Link } from '../../../links/link.ts'
import { type TextsIn, t } from '../../../texts.ts'
import { formatCount } from '../shell/format-count.ts'
import { formatMoment } from '../shell/format-day.ts'

type LinkStatusFields = Pick<
  Link,
  'url' | 'status' | 'block' | 'startsAt' | 'expiresAt' | 'usedUpAt' | 'hasPassword'
> &
  Partial<Pick<Link, 'maxClicks' | 'usedClicks' | 'broken'>>

/** The status of a link. `isBlocked`: an admin disabled it, which the owner cannot undo. */
export type LinkStatusText = {
  state: TextsIn<'link.statuses'>
  label: string
  reason: string
  isDisabled: boolean
  isBlocked: boolean
}

/**
 * Returns the current status of a link with its reason. `hosts` are blocked hosts, and times are in
 * `zone`.
 */
export function describeStatus(
  {
    url,
    status,
    block,
    broken,
    startsAt,
    expiresAt,
    usedUpAt,
    hasPassword,
    ...clickLimit
  }: LinkStatusFields,
  now: Date,
  { hosts, zone }: { hosts: Pick<HostMatcher, 'blocksDestination'>; zone: string },
): LinkStatusText {
  if (block) {
    const reason =
      block.reason === null
        ? t('link.reasons.admin')
        : t('link.reasons.adminReason', { reason: block.reason })
    return { ...describeState('disabled'), reason, isDisabled: true, isBlocked: true }
  }
  if (status === 'disabled') {
    return {
      ...describeState('disabled'),
      reason: t('link.reasons.disabled'),
      isDisabled: true,
      isBlocked: false,
    }
  }
  const enabled = { isDisabled: false, isBlocked: false }
  if (usedUpAt && !(expiresAt && expiresAt < usedUpAt)) {
    const reason = t('link.reasons.usedUp', { date: formatMoment(usedUpAt, zone) })
    return { ...describeState('expired'), reason, ...enabled }
  }
  if (expiresAt && expiresAt <= now) {
    const reason = t('link.reasons.expired', { date: formatMoment(expiresAt, zone) })
    return { ...describeState('expired'), reason, ...enabled }
  }
  if (hosts.blocksDestination(url)) {
    return { ...describeState('blocked'), reason: t('link.reasons.blocked'), ...enabled }
  }
  if (broken) {
    const { destination, since } = broken
    const problem = t(`link.problems.${broken.problem}`)
    const values = { problem, destination, date: formatMoment(since, zone) }
    return { ...describeState('broken'), reason: t('link.reasons.broken', values), ...enabled }
  }
  const isScheduled = startsAt !== null && startsAt > now
  const parts = [
    isScheduled ? t('link.reasons.starts', { date: formatMoment(startsAt, zone) }) : undefined,
    expiresAt ? t('link.reasons.expires', { date: formatMoment(expiresAt, zone) }) : undefined,
    clickLimit.maxClicks
      ? t('link.reasons.clicksUsed', {
          used: formatCount(clickLimit.usedClicks ?? 0),
          max: formatCount(clickLimit.maxClicks),
        })
      : undefined,
    hasPassword ? t('link.reasons.password') : undefined,
  ].filter((part) => part !== undefined)
  const state = describeState(isScheduled ? 'scheduled' : 'active')
  return { ...state, reason: parts.join(' · '), ...enabled }
}

function describeState(state: LinkStatusText['state']): Pick<LinkStatusText, 'state' | 'label'> {
  return { state, label: t(`link.statuses.${state}`) }
}
