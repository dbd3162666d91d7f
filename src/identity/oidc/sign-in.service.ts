import type { WebContext } from '../../context.ts'
import { convertDatabaseError } from '../../db/errors.ts'
import type { Db } from '../../db/pool.ts'
import { inTransaction, type Tx } from '../../db/transaction.ts'
import { AppError } from '../../errors.ts'
import { logAction, PROVIDER } from '../../operator-log/operator-log.service.ts'
import { foldCase } from '../../text.ts'
import { updateAdminRow } from '../admin.service.ts'
import { acceptInvitation } from '../invitation.service.ts'
import { signInByProvider } from '../session.service.ts'
import { findUser, updateUserRow } from '../user.queries.ts'
import type { User } from '../user.ts'
import * as queries from './identity.queries.ts'
import type { Identity } from './identity.ts'
import { createProviderUser } from './new-user.ts'

type Origin = {
  address: string
  browser?: string | undefined
  /** The token of the invitation that the sign-in accepts. */
  invitation?: string | undefined
}

/**
 * Signs in the user of an identity and returns the session's token. If the settings name an admin
 * group, the provider's groups determine whether the user is an admin.
 *
 * @throws AppError `provider_user_unknown`, `provider_email_unverified`,
 * `provider_user_unconfirmed`, `provider_user_unconnected`, `provider_user_taken`,
 * `registration_limited`, `account_suspended`, `no_account`
 */
export async function signInWithIdentity(
  ctx: WebContext,
  db: Db,
  identity: Identity,
  origin: Origin,
): Promise<string> {
  try {
    return await signInOnce(ctx, db, identity, origin)
  } catch (error) {
    const failure = convertDatabaseError(error)
    // A concurrent sign-in in another tab, or by another person with this email address, came
    // first.
    const isRace = failure instanceof AppError && failure.status === 409 && failure !== error
    if (!isRace) throw error
    return signInOnce(ctx, db, identity, origin)
  }
}

function signInOnce(ctx: WebContext, db: Db, identity: Identity, origin: Origin): Promise<string> {
  const { invitation, browser } = origin
  return inTransaction(db, async (tx) => {
    const user = await findOrCreateUser(ctx, tx, identity, origin)
    const accountId = invitation && (await joinInvitedAccount(ctx, tx, user, invitation))
    await updateAdmin(ctx, tx, user, identity)
    return signInByProvider(ctx, tx, user.id, { browser, ...(accountId && { accountId }) })
  })
}

/**
 * Finds the user by issuer and subject, or by an email address that both the provider and this
 * service have verified. Otherwise creates the user.
 */
async function findOrCreateUser(
  ctx: WebContext,
  tx: Tx,
  identity: Identity,
  origin: Origin,
): Promise<User> {
  const existing = await queries.lockUserByIdentity(tx, identity)
  if (existing) return existing
  const { email, emailVerified, issuer } = identity
  const userByEmail =
    email === undefined ? undefined : await queries.lockUserByEmail(tx, email, issuer)
  if (userByEmail) {
    // A concurrent sign-in in another tab may have connected the user.
    const connected = await queries.lockUserByIdentity(tx, identity)
    if (connected) return connected
    if (!emailVerified) throw new AppError('provider_email_unverified')
    // The provider may have reassigned the email address of a former user.
    if (userByEmail.isConnected) throw new AppError('provider_user_taken')
    // The user who registered with this email address may not own it, and would share the account.
    if (!userByEmail.emailVerified) throw new AppError('provider_user_unconfirmed')
    // An email address must not replace a second factor, unless password sign-in is disabled.
    if (userByEmail.hasSecondFactor && ctx.config.passwordSignIn) {
      throw new AppError('provider_user_unconnected')
    }
  }
  const user = userByEmail ?? (await createProviderUser(ctx, tx, identity, origin))
  await queries.insertIdentity(tx, identity, user.id)
  return user
}

/**
 * Accepts an invitation for a user and returns the account, or undefined if the user is already a
 * member.
 */
async function joinInvitedAccount(
  ctx: WebContext,
  tx: Tx,
  user: User,
  token: string,
): Promise<number | undefined> {
  try {
    return (await acceptInvitation(ctx, tx, token, user)).accountId
  } catch (error) {
    if (error instanceof AppError && error.code === 'already_member') return undefined
    throw error
  }
}

async function updateAdmin(
  ctx: WebContext,
  tx: Tx,
  { id, email }: User,
  { groups }: Identity,
): Promise<void> {
  const { adminGroup } = ctx.config.oidc ?? {}
  if (adminGroup === undefined) return
  const admin = groups.includes(adminGroup)
  if (!(await updateAdminRow(tx, id, admin))) return
  const detail = admin ? 'on' : 'off'
  await logAction(ctx, tx, { actor: PROVIDER, action: 'user.admin', subject: email, detail })
}

/** Returns whether a user has an identity. With `issuer`, only that issuer's identities count. */
export async function isConnected(db: Db, userId: number, issuer?: string): Promise<boolean> {
  const row = await db
    .selectFrom('user_identities')
    .select('user_id')
    .where('user_id', '=', userId)
    .$if(issuer !== undefined, (query) => query.where('issuer', '=', String(issuer)))
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/**
 * Connects an identity to the signed-in user.
 *
 * @throws AppError `provider_user_taken`, `not_found`
 */
export async function connectIdentity(db: Db, userId: number, identity: Identity): Promise<void> {
  await inTransaction(db, async (tx) => {
    const user = await findUser(tx, userId)
    if (!user) throw new AppError('not_found')
    const holder = await queries.lockUserByIdentity(tx, identity)
    if (holder?.id === userId) return
    if (holder || (await isConnected(tx, userId, identity.issuer))) {
      throw new AppError('provider_user_taken', { text: 'rejections.provider_connected' })
    }
    await queries.insertIdentity(tx, identity, userId)
    const isProven =
      identity.emailVerified && foldCase(identity.email ?? '') === foldCase(user.email)
    if (isProven) await updateUserRow(tx, userId, { email_verified: true })
  })
}
