import type { HostMatcher } from '../../../blocked-hosts/blocked-host.ts'
import type { Link } from '../../../links/link.ts'
import { fill } from '../../../pages/fill.ts'
import { formatCount } from '../shell/format-count.ts'
import { formatMoment } from '../shell/format-day.ts'
import { linkMessages } from './messages.ts'

type LinkStatusFields = Pick<
  Link,
  'url' | 'status' | 'block' | 'startsAt' | 'expiresAt' | 'usedUpAt' | 'hasPassword'
> &
  Partial<Pick<Link, 'maxClicks' | 'usedClicks' | 'broken'>>

/** The status of a link. `isBlocked`: an admin disabled it, which the owner cannot undo. */
export type LinkStatusText = {
  state: keyof typeof linkMessages.statuses
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
  const { reasons } = linkMessages
  if (block) {
    const reason =
      block.reason === null ? reasons.admin : fill(reasons.adminReason, { reason: block.reason })
    return { ...describeState('disabled'), reason, isDisabled: true, isBlocked: true }
  }
  if (status === 'disabled') {
    return {
      ...describeState('disabled'),
      reason: reasons.disabled,
      isDisabled: true,
      isBlocked: false,
    }
  }
  const enabled = { isDisabled: false, isBlocked: false }
  if (usedUpAt && !(expiresAt && expiresAt < usedUpAt)) {
    const reason = fill(reasons.usedUp, { date: formatMoment(usedUpAt, zone) })
    return { ...describeState('expired'), reason, ...enabled }
  }
  if (expiresAt && expiresAt <= now) {
    const reason = fill(reasons.expired, { date: formatMoment(expiresAt, zone) })
    return { ...describeState('expired'), reason, ...enabled }
  }
  if (hosts.blocksDestination(url)) {
    return { ...describeState('blocked'), reason: reasons.blocked, ...enabled }
  }
  if (broken) {
    const { destination, since } = broken
    const problem = linkMessages.problems[broken.problem]
    const values = { problem, destination, date: formatMoment(since, zone) }
    return { ...describeState('broken'), reason: fill(reasons.broken, values), ...enabled }
  }
  const isScheduled = startsAt !== null && startsAt > now
  const parts = [
    isScheduled ? fill(reasons.starts, { date: formatMoment(startsAt, zone) }) : undefined,
    expiresAt ? fill(reasons.expires, { date: formatMoment(expiresAt, zone) }) : undefined,
    clickLimit.maxClicks
      ? fill(reasons.clicksUsed, {
          used: formatCount(clickLimit.usedClicks ?? 0),
          max: formatCount(clickLimit.maxClicks),
        })
      : undefined,
    hasPassword ? reasons.password : undefined,
  ].filter((part) => part !== undefined)
  const state = describeState(isScheduled ? 'scheduled' : 'active')
  return { ...state, reason: parts.join(' · '), ...enabled }
}

function describeState(state: LinkStatusText['state']): Pick<LinkStatusText, 'state' | 'label'> {
  return { state, label: linkMessages.statuses[state] }
}
