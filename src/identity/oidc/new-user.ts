import type { WebContext } from '../../context.ts'
import { countHit, DAILY_PREFIX, DAY_SECONDS } from '../../db/rate-window.queries.ts'
import type { Tx } from '../../db/transaction.ts'
import { AppError } from '../../errors.ts'
import { findTimeZone } from '../../time-zone.ts'
import { findAccountByUsername } from '../account.queries.ts'
import { createAccountWithoutKeys } from '../account.service.ts'
import { checkEmail } from '../account.ts'
import { acceptOwnInvitations, findInvitation } from '../invitation.service.ts'
import { insertUser } from '../user.queries.ts'
import type { User } from '../user.ts'
import { readLanguage } from '../user.ts'
import type { Identity } from './identity.ts'

type Origin = { address: string; invitation?: string | undefined }

/**
 * Creates the user of a new identity. The user must have an invitation, have a verified email
 * address that was invited, or register while registration is open. A user who was not invited gets
 * a new account.
 *
 * @throws AppError `provider_user_unknown`, `registration_limited`, `invalid_input` naming `email`
 */
export async function createProviderUser(
  ctx: WebContext,
  tx: Tx,
  identity: Identity,
  { address, invitation: token }: Origin,
): Promise<User> {
  const invitation = token === undefined ? undefined : await findInvitation(ctx, tx, token)
  const email = identity.email ?? invitation?.email
  if (email === undefined) {
    throw new AppError('provider_user_unknown', { text: 'rejections.provider_without_email' })
  }
  const user = await insertUser(tx, {
    email: checkEmail(email),
    password_hash: null,
    language: readLanguage(identity.locale?.slice(0, 2) ?? ''),
    time_zone: findTimeZone(identity.timeZone ?? '') ?? 'UTC',
    email_verified: identity.email !== undefined && identity.emailVerified,
  })
  if (invitation) return user
  if (identity.emailVerified && (await acceptOwnInvitations(ctx, tx, user))) return user
  if (!ctx.config.registrationOpen) throw new AppError('provider_user_unknown')
  await countRegistration(ctx, tx, address)
  await createAccountWithoutKeys(tx, user, {
    username: await findFreeUsername(tx, identity),
    plan: 'free',
  })
  return user
}

/** Counts a registration from an IP address. The count is rolled back if the transaction fails. */
async function countRegistration(ctx: WebContext, tx: Tx, address: string): Promise<void> {
  const { registrationsPerDay } = ctx.config
  if (registrationsPerDay === 0) return
  const subject = `${DAILY_PREFIX}register:${ctx.hashAddress(address)}`
  const { hits, retryAfter } = await countHit(tx, subject, DAY_SECONDS)
  if (hits > registrationsPerDay) {
    throw new AppError('registration_limited', { retryAfter })
  }
}

/** Returns a username that is not taken: the preferred one, or one that starts with it. */
async function findFreeUsername(tx: Tx, { username, email = '' }: Identity): Promise<string> {
  const [local = ''] = (username ?? email).split('@')
  const cleaned = local
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^A-Za-z0-9_-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+|-+$/g, '')
    .slice(0, 24)
  const base = cleaned.length >= 2 ? cleaned : 'user'
  for (let number = 1; number < 100; number += 1) {
    const name = number === 1 ? base : `${base}-${number}`
    if (!(await findAccountByUsername(tx, name))) return name
  }
  return `${base}-${Math.random().toString(36).slice(2, 8).padEnd(6, '0')}`
}
