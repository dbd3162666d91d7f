import type { HostMatcher } from '../../../blocked-hosts/blocked-host.ts'
import type { Link } from '../../../links/link.ts'
import { formatTimestamp } from '../../timestamp.ts'

type Shown = Pick<Link, 'url' | 'status' | 'block' | 'expiresAt' | 'hasPassword'>

/** `blocked` is disabled by the operator, which the owner cannot undo. */
export type LinkStatusText = { word: string; reason: string; disabled: boolean; blocked: boolean }

/** What visitors of a link meet at the moment, as a word, and why; `hosts` are those that are blocked. */
export function statusOf(
  { url, status, block, expiresAt, hasPassword }: Shown,
  now: Date,
  hosts: Pick<HostMatcher, 'blocksTarget'>,
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
    const reason = `It ended on ${formatTimestamp(expiresAt)} UTC.`
    return { word: 'Expired', reason, ...enabled }
  }
  if (hosts.blocksTarget(url)) {
    const reason = 'It leads to a host that the operator of this service has blocked.'
    return { word: 'Blocked', reason, ...enabled }
  }
  const reasons = [
    expiresAt ? `Ends on ${formatTimestamp(expiresAt)} UTC.` : undefined,
    hasPassword ? 'Visitors are asked for its password.' : undefined,
  ].filter((reason) => reason !== undefined)
  return { word: 'Active', reason: reasons.join(' '), ...enabled }
}
