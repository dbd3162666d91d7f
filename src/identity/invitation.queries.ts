import { sql } from 'kysely'
import { own } from '../db/account-rows.ts'
import { equalsIgnoringCase, lowercase } from '../db/ignoring-case.queries.ts'
import type { Db } from '../db/pool.ts'
import type { Tx } from '../db/transaction.ts'
import type { AccountScope } from '../scope.ts'
import type { Invitation, OpenInvitation } from './invitation.ts'
import type { Role } from './user.ts'

type NewInvitation = {
  accountId: number
  email: string
  role: Role
  hash: Buffer | null
  expiresAt: Date
}

/** Stores an invitation and returns its id. Replaces any earlier one for the same email address. */
export async function storeInvitation(tx: Tx, invitation: NewInvitation): Promise<number> {
  const { accountId, email, role, hash, expiresAt } = invitation
  await tx
    .deleteFrom('invitations')
    .where('account_id', '=', accountId)
    .where(equalsIgnoringCase('email', email))
    .execute()
  const { id } = await tx
    .insertInto('invitations')
    .values({ account_id: accountId, email, role, hash, expires_at: expiresAt })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** Returns the account's invitations that are valid at `now`, newest first. */
export async function findInvitations(scope: AccountScope, now: Date): Promise<Invitation[]> {
  return own(scope)
    .selectFrom('invitations')
    .select(['id', 'email', 'role', 'expires_at as expiresAt'])
    .where('expires_at', '>', now)
    .orderBy('id', 'desc')
    .execute()
}

/**
 * Replaces the link of an invitation that is valid at `now`. With `accountId`, the invitation must
 * be from this account and not for an owner. Returns the invitation, or undefined if it is not
 * valid or its account is suspended.
 */
export async function updateInvitationHash(
  db: Db,
  { id, accountId, hash, now }: { id: number; accountId?: number; hash: Buffer; now: Date },
): Promise<(Invitation & { account: string; accountId: number }) | undefined> {
  return db
    .updateTable('invitations')
    .from('accounts')
    .set({ hash })
    .whereRef('accounts.id', '=', 'invitations.account_id')
    .where('invitations.id', '=', id)
    .where('invitations.expires_at', '>', now)
    .where('accounts.suspended_at', 'is', null)
    .$if(accountId !== undefined, (query) =>
      query.where('account_id', '=', Number(accountId)).where('role', '<>', 'owner'),
    )
    .returning([
      'invitations.id',
      'invitations.email',
      'invitations.role',
      'invitations.expires_at as expiresAt',
      'accounts.username as account',
      'accounts.id as accountId',
    ])
    .executeTakeFirst()
}

export async function findInvitationAccount(db: Db, id: number): Promise<number | undefined> {
  const row = await db
    .selectFrom('invitations')
    .select('account_id')
    .where('id', '=', id)
    .executeTakeFirst()
  return row?.account_id
}

/**
 * Returns the invitation whose link has this hash, or undefined unless it is valid at `now` and its
 * account is not suspended.
 */
export async function findOpenInvitation(
  db: Db,
  hash: Buffer,
  now: Date,
): Promise<OpenInvitation | undefined> {
  return db
    .selectFrom('invitations')
    .innerJoin('accounts', 'accounts.id', 'invitations.account_id')
    .leftJoin('users', (join) =>
      join.on(lowercase('users.email'), '=', lowercase('invitations.email')),
    )
    .select([
      'invitations.id',
      'invitations.account_id as accountId',
      'accounts.username as account',
      'invitations.email',
      'invitations.role',
      sql<boolean>`users.id is not null`.as('isKnown'),
    ])
    .where('invitations.hash', '=', hash)
    .where('invitations.expires_at', '>', now)
    .where('accounts.suspended_at', 'is', null)
    .executeTakeFirst()
}

/**
 * Deletes all invitations for an email address that are valid at `now`. Returns them ordered by
 * account.
 */
export async function consumeInvitationsFor(
  tx: Tx,
  email: string,
  now: Date,
): Promise<{ accountId: number; role: Role }[]> {
  const deleted = await tx
    .deleteFrom('invitations')
    .where(equalsIgnoringCase('email', email))
    .where('expires_at', '>', now)
    .returning(['account_id as accountId', 'role'])
    .execute()
  return deleted.sort((a, b) => a.accountId - b.accountId)
}

/** Deletes an invitation if its link still has this hash. Returns whether it was deleted. */
export async function consumeInvitation(tx: Tx, id: number, hash: Buffer): Promise<boolean> {
  const row = await tx
    .deleteFrom('invitations')
    .where('id', '=', id)
    .where('hash', '=', hash)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

export async function deleteInvitation(scope: AccountScope, id: number): Promise<boolean> {
  const row = await own(scope)
    .deleteFrom('invitations')
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/**
 * Returns whether an account may belong to a stranger: it is less than a week old, has no paid plan
 * and no admin among its members.
 */
export async function isNewAccount(scope: AccountScope): Promise<boolean> {
  const row = await own(scope)
    .selectFrom('accounts')
    .select('id')
    .where('plan', '=', 'free')
    .where('registered_at', '>', sql<Date>`now() - interval '7 days'`)
    .where(({ exists, not, selectFrom }) =>
      not(
        exists(
          selectFrom('members')
            .innerJoin('users', 'users.id', 'members.user_id')
            .select('users.id')
            .whereRef('members.account_id', '=', 'accounts.id')
            .where('users.admin', '=', true),
        ),
      ),
    )
    .executeTakeFirst()
  return row !== undefined
}
