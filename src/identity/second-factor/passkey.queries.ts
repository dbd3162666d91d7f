import type { Db } from '../../db/pool.ts'
import type { Tx } from '../../db/transaction.ts'
import type { User } from '../user.ts'

export type StoredPasskey = {
  id: number
  user: User
  credentialId: Buffer
  publicKey: Buffer
  counter: number
}

type NewPasskey = Omit<StoredPasskey, 'id' | 'user'> & {
  userId: number
  transports: readonly string[]
  name: string
  now: Date
}

/** Stores a passkey. Returns false if it is already registered. */
export async function insertPasskey(tx: Tx, passkey: NewPasskey): Promise<boolean> {
  const row = await tx
    .insertInto('passkeys')
    .values({
      user_id: passkey.userId,
      credential_id: passkey.credentialId,
      public_key: passkey.publicKey,
      counter: passkey.counter,
      transports: [...passkey.transports],
      name: passkey.name,
      created_at: passkey.now,
    })
    .onConflict((conflict) => conflict.column('credential_id').doNothing())
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** Returns the passkey with this credential id, and its user. */
export async function findPasskey(
  db: Db,
  credentialId: Buffer,
): Promise<StoredPasskey | undefined> {
  const row = await db
    .selectFrom('passkeys')
    .innerJoin('users', 'users.id', 'passkeys.user_id')
    .select(['passkeys.id', 'credential_id', 'public_key', 'counter', 'user_id', 'users.email'])
    .where('credential_id', '=', credentialId)
    .executeTakeFirst()
  return (
    row && {
      id: row.id,
      user: { id: row.user_id, email: row.email },
      credentialId: row.credential_id,
      publicKey: row.public_key,
      counter: row.counter,
    }
  )
}

/** Returns the credential ids and transports of a user's passkeys. */
export async function findCredentials(
  db: Db,
  userId: number,
): Promise<{ credentialId: Buffer; transports: string[] }[]> {
  return db
    .selectFrom('passkeys')
    .select(['credential_id as credentialId', 'transports'])
    .where('user_id', '=', userId)
    .orderBy('id')
    .execute()
}

/**
 * Records that a passkey was used. Returns false if the passkey was removed or its counter has not
 * increased, which indicates a replay or a copied authenticator.
 */
export async function recordPasskeyUse(
  tx: Tx,
  { id, counter, now }: { id: number; counter: number; now: Date },
): Promise<boolean> {
  const row = await tx
    .updateTable('passkeys')
    .set({ counter, last_used_at: now })
    .where('id', '=', id)
    .where(({ eb, or, and }) =>
      or([eb('counter', '<', counter), and([eb('counter', '=', 0), eb.lit(counter === 0)])]),
    )
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** Returns whether a user has the passkey with this id. */
export async function hasPasskey(db: Db, userId: number, id: number): Promise<boolean> {
  const row = await db
    .selectFrom('passkeys')
    .select('id')
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row !== undefined
}

/** Deletes a passkey of a user. Returns whether it existed. */
export async function deletePasskey(tx: Tx, userId: number, id: number): Promise<boolean> {
  const row = await tx
    .deleteFrom('passkeys')
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}
