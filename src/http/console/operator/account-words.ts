import type { Account } from '../../../accounts/account.ts'
import type { SeenAccount } from '../../../operator/seen-account.ts'
import { formatTimestamp } from '../../timestamp.ts'

/** What may be done with an account, in a word or two. */
export function stateText({ deleting, suspended }: SeenAccount): string {
  if (deleting) return 'Being deleted'
  return suspended ? 'Suspended' : 'Active'
}

/** The plan of an account and when it ends, where it does. */
export function planText({ plan, expiresAt }: Account, now: Date): string {
  if (!expiresAt) return plan
  return `${plan}, ${expiresAt <= now ? 'expired' : 'until'} ${formatTimestamp(expiresAt)}`
}
