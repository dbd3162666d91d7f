import { type ExpressionBuilder, type Selectable, sql } from 'kysely'
import { own } from '../db/account-rows.ts'
import type { Db } from '../db/pool.ts'
import type { ApiKeys, DB } from '../db/tables.generated.ts'
import type { AccountScope } from '../scope.ts'
import { getKeyPrefix, hashKey } from './api-key.ts'
import type { KeyScope } from './key-scope.ts'

export type ApiKey = {
  id: number
  /** Null for a key without a name. */
  name: string | null
  prefix: string
  scope: KeyScope
  /** The domain that the key is bound to, if any. */
  domain: { id: number; host: string } | null
  createdAt: Date
  expiresAt: Date | null
  revokedAt: Date | null
  lastUsedAt: Date | null
}

/** The grant by which an app gets the key's text, and the user who granted it. */
export type Connection = { grantId: string; userId: number }

type NewKey = {
  accountId: number
  key: string
  scope: KeyScope
  domain?: ApiKey['domain']
  expiresAt?: Date | null
  name?: string | null
  connection?: Connection | undefined
}

/** Stores a key's hash and the prefix shown in lists. The key itself is not stored. */
export async function insertKey(
  db: Db,
  { accountId, key, scope, domain = null, expiresAt = null, name = null, connection }: NewKey,
): Promise<ApiKey> {
  const row = await db
    .insertInto('api_keys')
    .values({
      account_id: accountId,
      prefix: getKeyPrefix(key),
      hash: hashKey(key),
      expires_at: expiresAt,
      name,
      scope,
      domain_id: domain?.id ?? null,
      grant_id: connection?.grantId ?? null,
      user_id: connection?.userId ?? null,
    })
    .returningAll()
    .returning(selectDomainHost)
    .executeTakeFirstOrThrow()
  return toApiKey(row)
}

export function selectKeys(scope: AccountScope) {
  return own(scope).selectFrom('api_keys').selectAll().select(selectDomainHost).orderBy('id')
}

/** Returns one key of an account, or undefined if there is none with this id. */
export async function findKey(scope: AccountScope, id: number): Promise<ApiKey | undefined> {
  const row = await own(scope)
    .selectFrom('api_keys')
    .selectAll()
    .select(selectDomainHost)
    .where('id', '=', id)
    .where('grant_id', 'is', null)
    .executeTakeFirst()
  return row && toApiKey(row)
}

/** Updates a key that is not revoked. Returns undefined if the account has no such key. */
export async function updateKey(
  scope: AccountScope,
  id: number,
  changes: { expires_at: Date | null } | { revoked_at: Date },
): Promise<ApiKey | undefined> {
  const row = await own(scope)
    .updateTable('api_keys')
    .set(changes)
    .where('id', '=', id)
    // The access of an app ends with its token.
    .$if('expires_at' in changes, (query) => query.where('grant_id', 'is', null))
    .where('revoked_at', 'is', null)
    .returningAll()
    .returning(selectDomainHost)
    .executeTakeFirst()
  return row && toApiKey(row)
}

/**
 * Returns the number of the account's keys that are valid at `now`. In a transaction, locks the
 * account, so that concurrent callers count one after the other.
 */
export async function countValidKeys(scope: AccountScope, now: Date): Promise<number> {
  await own(scope).selectFrom('accounts').select('id').forNoKeyUpdate().execute()
  const { count } = await own(scope)
    .selectFrom('api_keys')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('revoked_at', 'is', null)
    .where(({ eb, or }) => or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
    .executeTakeFirstOrThrow()
  return count
}

/**
 * Makes a key that is valid at `now` expire at `until`, unless it expires earlier. Returns
 * undefined if the account has no such key.
 */
export async function limitKeyValidity(
  scope: AccountScope,
  id: number,
  { now, until }: { now: Date; until: Date },
): Promise<ApiKey | undefined> {
  const row = await own(scope)
    .updateTable('api_keys')
    .set({ expires_at: sql<Date>`least(expires_at, ${until}::timestamptz)` })
    .where('id', '=', id)
    .where('grant_id', 'is', null)
    .where('revoked_at', 'is', null)
    .where(({ eb, or }) => or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
    .returningAll()
    .returning(selectDomainHost)
    .executeTakeFirst()
  return row && toApiKey(row)
}

/** Revokes the connections that a user has granted for an account. */
export async function revokeConnectionsOf(scope: AccountScope, userId: number): Promise<void> {
  await own(scope)
    .updateTable('api_keys')
    .set({ revoked_at: sql<Date>`now()` })
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .execute()
}

function selectDomainHost(eb: ExpressionBuilder<DB, 'api_keys'>) {
  return eb
    .selectFrom('domains')
    .select('host')
    .whereRef('domains.id', '=', 'api_keys.domain_id')
    .as('host')
}

export function toApiKey(row: Selectable<ApiKeys> & { host: string | null }): ApiKey {
  const { domain_id: domainId, host } = row
  return {
    id: row.id,
    name: row.name,
    prefix: row.prefix,
    scope: row.scope,
    domain: domainId === null || host === null ? null : { id: domainId, host },
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    lastUsedAt: row.last_used_at,
  }
}
