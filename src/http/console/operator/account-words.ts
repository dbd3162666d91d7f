import type { Account } from '../../../accounts/account.ts'
import type { OperatorAccount } from '../../../operator/operator-account.ts'
import { formatMoment } from '../shell/format-day.ts'

/** Returns a short text for the state of an account. */
export function stateText({
  deleting,
  suspended,
}: OperatorAccount): 'Active' | 'Suspended' | 'Being deleted' {
  if (deleting) return 'Being deleted'
  return suspended ? 'Suspended' : 'Active'
}

/** The plan of an account and when it ends, where it does. */
export function planText({ plan, expiresAt }: Account, now: Date, zone: string): string {
  if (!expiresAt) return plan
  return `${plan}, ${expiresAt <= now ? 'expired' : 'until'} ${formatMoment(expiresAt, zone)}`
}

type KeyEnds = { expiresAt: Date | null; revokedAt: Date | null }

/** Whether a key is in force, and until when. */
export function keyStateText({ expiresAt, revokedAt }: KeyEnds, now: Date, zone: string): string {
  if (revokedAt) return `revoked on ${formatMoment(revokedAt, zone)}`
  if (!expiresAt) return 'active'
  return `${expiresAt <= now ? 'expired on' : 'active until'} ${formatMoment(expiresAt, zone)}`
}
