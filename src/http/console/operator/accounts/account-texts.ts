import type { Account } from '../../../../accounts/account.ts'
import type { OperatorAccount } from '../../../../operator/operator-account.ts'
import { formatMoment } from '../../shell/format-day.ts'
import { accountMessages as messages } from './messages.ts'

export type AccountState = keyof typeof messages.states

/** Returns the state of an account. */
export function getAccountState({ deleting, suspended }: OperatorAccount): AccountState {
  if (deleting) return 'deleting'
  return suspended ? 'suspended' : 'active'
}

/** Returns the plan of an account with its expiration, if any. */
export function describePlan({ plan, expiresAt }: Account, now: Date, zone: string): string {
  if (!expiresAt) return plan
  const text = expiresAt <= now ? messages.planExpired : messages.planUntil
  return text(plan, formatMoment(expiresAt, zone))
}

type KeyValidity = { expiresAt: Date | null; revokedAt: Date | null }

/** Returns the state of a key with its expiration, if any. */
export function describeKeyState(
  { expiresAt, revokedAt }: KeyValidity,
  now: Date,
  zone: string,
): string {
  const { revoked, active, activeUntil, expired } = messages.keys
  if (revokedAt) return revoked(formatMoment(revokedAt, zone))
  if (!expiresAt) return active
  return (expiresAt <= now ? expired : activeUntil)(formatMoment(expiresAt, zone))
}
