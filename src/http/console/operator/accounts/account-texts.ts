import type { Account } from '../../../../accounts/account.ts'
import type { OperatorAccount } from '../../../../operator/operator-account.ts'
import { type TextsIn, t } from '../../../../texts.ts'
import { formatMoment } from '../../shell/format-day.ts'

export type AccountState = TextsIn<'admin.account.states'>

/** Returns the state of an account. */
export function getAccountState({ deleting, suspended }: OperatorAccount): AccountState {
  if (deleting) return 'deleting'
  return suspended ? 'suspended' : 'active'
}

/** Returns the plan of an account with its expiration, if any. */
export function describePlan({ plan, expiresAt }: Account, now: Date, zone: string): string {
  if (!expiresAt) return plan
  const key = expiresAt <= now ? 'admin.account.planExpired' : 'admin.account.planUntil'
  return t(key, { plan, date: formatMoment(expiresAt, zone) })
}

type KeyValidity = { expiresAt: Date | null; revokedAt: Date | null }

/** Returns the state of a key with its expiration, if any. */
export function describeKeyState(
  { expiresAt, revokedAt }: KeyValidity,
  now: Date,
  zone: string,
): string {
  if (revokedAt) return t('admin.account.keys.revoked', { date: formatMoment(revokedAt, zone) })
  if (!expiresAt) return t('admin.account.keys.active')
  return t(`admin.account.keys.${expiresAt <= now ? 'expired' : 'activeUntil'}`, {
    date: formatMoment(expiresAt, zone),
  })
}
