import type { HostMatcher } from '../../../blocked-hosts/blocked-host.ts'
import type { Link } from '../../../links/link.ts'
import { fill } from '../../../pages/fill.ts'
import { formatCount } from '../shell/format-count.ts'
import { formatMoment } from '../shell/format-day.ts'
import { statusMessages } from './status-messages.ts'

type Shown = Pick<
  Link,
  'url' | 'status' | 'block' | 'startsAt' | 'expiresAt' | 'usedUpAt' | 'hasPassword'
> &
  Partial<Pick<Link, 'maxClicks' | 'usedClicks' | 'broken'>>

/** `blocked` if an admin disabled it, which the owner cannot undo. */
export type LinkStatusText = { word: string; reason: string; disabled: boolean; blocked: boolean }

/**
 * Returns the current status of a link with its reason. `hosts` are blocked hosts, and times are in
 * `zone`.
 */
export function statusOf(
  { url, status, block, broken, startsAt, expiresAt, usedUpAt, hasPassword, ...limit }: Shown,
  now: Date,
  { hosts, zone }: { hosts: Pick<HostMatcher, 'blocksTarget'>; zone: string },
): LinkStatusText {
  if (block) {
    const why = block.reason === null ? '.' : `: ${block.reason}`
    const reason = `Disabled by an admin${why}`
    return { word: 'Disabled', reason, disabled: true, blocked: true }
  }
  if (status === 'disabled') {
    const reason = 'Visitors see a “disabled” page.'
    return { word: 'Disabled', reason, disabled: true, blocked: false }
  }
  const enabled = { disabled: false, blocked: false }
  if (usedUpAt && !(expiresAt && expiresAt < usedUpAt)) {
    const reason = `Used its last click ${formatMoment(usedUpAt, zone)}`
    return { word: 'Expired', reason, ...enabled }
  }
  if (expiresAt && expiresAt <= now) {
    const reason = `Expired ${formatMoment(expiresAt, zone)}`
    return { word: 'Expired', reason, ...enabled }
  }
  if (hosts.blocksTarget(url)) {
    const reason = 'Its destination is blocked by an admin.'
    return { word: 'Blocked', reason, ...enabled }
  }
  if (broken) {
    const { destination, since } = broken
    const problem = statusMessages.problems[broken.problem]
    const values = { problem, destination, date: formatMoment(since, zone) }
    return {
      word: statusMessages.broken,
      reason: fill(statusMessages.brokenReason, values),
      ...enabled,
    }
  }
  const isScheduled = startsAt !== null && startsAt > now
  const reasons = [
    isScheduled ? `Starts ${formatMoment(startsAt, zone)}` : undefined,
    expiresAt ? `Expires ${formatMoment(expiresAt, zone)}` : undefined,
    limit.maxClicks
      ? `${formatCount(limit.usedClicks ?? 0)} of ${formatCount(limit.maxClicks)} clicks used`
      : undefined,
    hasPassword ? 'Password protected' : undefined,
  ].filter((reason) => reason !== undefined)
  return { word: isScheduled ? 'Scheduled' : 'Active', reason: reasons.join(' · '), ...enabled }
}
