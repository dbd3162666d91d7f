import type { Link } from '../../../links/link.ts'
import { formatTimestamp } from '../../timestamp.ts'

/** What visitors of a link meet at the moment, as a word, and why. */
export function statusOf(
  {
    status,
    block,
    expiresAt,
    hasPassword,
  }: Pick<Link, 'status' | 'block' | 'expiresAt' | 'hasPassword'>,
  now: Date,
): { word: string; reason: string; disabled: boolean } {
  const disabled = status === 'disabled'
  if (disabled && block) {
    const reason = block.reason === null ? '' : ` ${block.reason}`
    return {
      word: 'Disabled by the operator',
      reason: `Only they can enable it.${reason}`,
      disabled,
    }
  }
  if (disabled) {
    return { word: 'Disabled', reason: 'Visitors are told that it is switched off.', disabled }
  }
  if (expiresAt && expiresAt <= now) {
    return { word: 'Expired', reason: `It ended on ${formatTimestamp(expiresAt)} UTC.`, disabled }
  }
  const reasons = [
    expiresAt ? `Ends on ${formatTimestamp(expiresAt)} UTC.` : undefined,
    hasPassword ? 'Visitors are asked for its password.' : undefined,
  ].filter((reason) => reason !== undefined)
  return { word: 'Active', reason: reasons.join(' '), disabled }
}
