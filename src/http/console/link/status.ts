import type { HostMatcher } from '../../../blocked-hosts/blocked-host.ts'
import type { Link } from '../../../links/link.ts'
import { formatMoment } from '../shell/format-day.ts'

type Shown = Pick<Link, 'url' | 'status' | 'block' | 'expiresAt' | 'hasPassword'>

/** `blocked` is disabled by an admin, which the owner cannot undo. */
export type LinkStatusText = { word: string; reason: string; disabled: boolean; blocked: boolean }

/** The current status of a link as a word, with its reason; `hosts` are those that are blocked, and times are in `zone`. */
export function statusOf(
  { url, status, block, expiresAt, hasPassword }: Shown,
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
  if (expiresAt && expiresAt <= now) {
    const reason = `Expired ${formatMoment(expiresAt, zone)}`
    return { word: 'Expired', reason, ...enabled }
  }
  if (hosts.blocksTarget(url)) {
    const reason = 'Its destination is blocked by an admin.'
    return { word: 'Blocked', reason, ...enabled }
  }
  const reasons = [
    expiresAt ? `Expires ${formatMoment(expiresAt, zone)}` : undefined,
    hasPassword ? 'Password protected' : undefined,
  ].filter((reason) => reason !== undefined)
  return { word: 'Active', reason: reasons.join(' · '), ...enabled }
}
