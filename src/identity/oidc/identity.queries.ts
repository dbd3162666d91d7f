import { equalsIgnoringCase } from '../../db/ignoring-case.queries.ts'
import type { Tx } from '../../db/transaction.ts'
import type { User } from '../user.ts'

type IdentityKey = { issuer: string; subject: string }

export type UserByEmail = User & {
  emailVerified: boolean
  hasSecondFactor: boolean
  /** Whether the user has an identity from the issuer. */
  isConnected: boolean
}

/** Returns the user with this identity and locks the user's row until the transaction ends. */
export function lockUserByIdentity(
  tx: Tx,
  { issuer, subject }: IdentityKey,
): Promise<User | undefined> {
  return tx
    .selectFrom('user_identities')
    .innerJoin('users', 'users.id', 'user_identities.user_id')
    .select(['users.id', 'users.email'])
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .forNoKeyUpdate('users')
    .executeTakeFirst()
}

/**
 * Returns the user with this email address, ignoring case, and locks the user's row until the
 * transaction ends.
 */
export function lockUserByEmail(
  tx: Tx,
  email: string,
  issuer: string,
): Promise<UserByEmail | undefined> {
  return tx
    .selectFrom('users')
    .select(['id', 'email', 'email_verified as emailVerified'])
    .select('has_second_factor as hasSecondFactor')
    .select(({ exists, selectFrom }) =>
      exists(
        selectFrom('user_identities')
          .select('user_id')
          .whereRef('user_id', '=', 'users.id')
          .where('issuer', '=', issuer),
      )
        .$castTo<boolean>()
        .as('isConnected'),
    )
    .where(equalsIgnoringCase('email', email))
    .forNoKeyUpdate()
    .executeTakeFirst()
}

/** Stores a user's identity. A unique index rejects an identity that belongs to another user. */
export async function insertIdentity(
  tx: Tx,
  { issuer, subject }: IdentityKey,
  userId: number,
): Promise<void> {
  await tx.insertInto('user_identities').values({ issuer, subject, user_id: userId }).execute()
}

/** Deletes the identities of a user. */
export async function deleteIdentities(tx: Tx, userId: number): Promise<void> {
  await tx.deleteFrom('user_identities').where('user_id', '=', userId).execute()
}
