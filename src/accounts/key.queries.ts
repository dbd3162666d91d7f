import { type ExpressionBuilder, type Selectable, sql } from 'kysely'
import type { Db } from '../db/pool.ts'
import type { ApiKeyTable } from '../db/schema/accounts.ts'
import type { Schema } from '../db/schema.ts'
import { hashKey, keyPrefix } from './api-key.ts'
import type { Scope } from './key-scope.ts'

export type ApiKey = {
  id: number
  /** Null for a key that nobody named. */
  name: string | null
  prefix: string
  scope: Scope
  /** The domain that the key is bound to, if any. */
  domain: { id: number; host: string } | null
  createdAt: Date
  expiresAt: Date | null
  revokedAt: Date | null
  lastUsedAt: Date | null
}

type NewKey = {
  accountId: number
  key: string
  scope: Scope
  domain?: ApiKey['domain']
  expiresAt?: Date | null
  name?: string | null
}

/** Stores a key by its hash and the prefix that lists show; the key itself is kept nowhere. */
export async function insertKey(
  db: Db,
  { accountId, key, scope, domain = null, expiresAt = null, name = null }: NewKey,
): Promise<ApiKey> {
  const row = await db
    .insertInto('api_keys')
    .values({
      account_id: accountId,
      prefix: keyPrefix(key),
      hash: hashKey(key),
      expires_at: expiresAt,
      name,
      scope,
      domain_id: domain?.id ?? null,
    })
    .returningAll()
    .returning(hostOfDomain)
    .executeTakeFirstOrThrow()
  return toApiKey(row)
}

/** All keys of an account, the oldest first, also those that are over. */
export async function listKeys(db: Db, accountId: number): Promise<ApiKey[]> {
  const rows = await db
    .selectFrom('api_keys')
    .selectAll()
    .select(hostOfDomain)
    .where('account_id', '=', accountId)
    .orderBy('id')
    .execute()
  return rows.map(toApiKey)
}

/** One key of an account. */
export async function findKey(db: Db, accountId: number, id: number): Promise<ApiKey | undefined> {
  const row = await db
    .selectFrom('api_keys')
    .selectAll()
    .select(hostOfDomain)
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row && toApiKey(row)
}

/** Changes a key that is not revoked; gives undefined if the account has no such key. */
export async function updateKey(
  db: Db,
  accountId: number,
  id: number,
  changes: { expires_at: Date | null } | { revoked_at: Date },
): Promise<ApiKey | undefined> {
  const row = await db
    .updateTable('api_keys')
    .set(changes)
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .returningAll()
    .returning(hostOfDomain)
    .executeTakeFirst()
  return row && toApiKey(row)
}

/**
 * How many keys of the account are in force at `now`. In a transaction the account's row is held to its
 * end, so that two that count at once do so one after the other.
 */
export async function countValidKeys(db: Db, accountId: number, now: Date): Promise<number> {
  await db
    .selectFrom('accounts')
    .select('id')
    .where('id', '=', accountId)
    .forNoKeyUpdate()
    .execute()
  const { count } = await db
    .selectFrom('api_keys')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('account_id', '=', accountId)
    .where('revoked_at', 'is', null)
    .where(({ eb, or }) => or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
    .executeTakeFirstOrThrow()
  return count
}

/** Has a key that is in force at `now` end at `until`, unless it ends before that anyway. */
export async function endKeyBy(
  db: Db,
  accountId: number,
  id: number,
  { now, until }: { now: Date; until: Date },
): Promise<ApiKey | undefined> {
  const row = await db
    .updateTable('api_keys')
    .set({ expires_at: sql<Date>`least(expires_at, ${until}::timestamptz)` })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .where(({ eb, or }) => or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
    .returningAll()
    .returning(hostOfDomain)
    .executeTakeFirst()
  return row && toApiKey(row)
}

function hostOfDomain(eb: ExpressionBuilder<Schema, 'api_keys'>) {
  return eb
    .selectFrom('domains')
    .select('host')
    .whereRef('domains.id', '=', 'api_keys.domain_id')
    .as('host')
}

function toApiKey(row: Selectable<ApiKeyTable> & { host: string | null }): ApiKey {
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
