import { sql } from 'kysely'
import type { Context } from '../context.ts'
import { unscoped } from '../db/account-rows.ts'
import { notify } from '../db/notify.ts'
import { type Tx, transact } from '../db/transaction.ts'
import { findOwnDomain } from '../domains/domain.queries.ts'
import { AppError, invalid } from '../errors.ts'
import type { AccountScope, Scope } from '../scope.ts'
import { normalizeOptionalText } from '../text.ts'
import { parseHost } from '../urls/host.ts'
import { generateKey } from './api-key.ts'
import type { ApiKey, Connection } from './key.queries.ts'
import * as queries from './key.queries.ts'
import type { KeyScope } from './key-scope.ts'

export type { ApiKey } from './key.queries.ts'

export type KeyInput = {
  scope?: KeyScope
  /** The host of the account's branded domain, with or without its scheme. */
  domain?: string | undefined
  expiresAt?: Date | null
  /** Up to `MAX_NAME_LENGTH` characters. */
  name?: string | undefined
  /** Makes the key a connection of an app, which gets its text by OAuth. */
  connection?: Connection | undefined
}

/** A new key with its text, which is returned only once and not stored. */
export type NewKey = ApiKey & { key: string }

/**
 * The maximum number of valid keys per account. Each key has its own rate limit, so the number must
 * be limited.
 */
const KEYS_PER_ACCOUNT = 20
export const MAX_NAME_LENGTH = 50

/** Returns all keys of an account, oldest first, including expired and revoked ones. */
export async function listKeys(scope: AccountScope): Promise<ApiKey[]> {
  const rows = await queries.selectKeys(scope).where('grant_id', 'is', null).execute()
  return rows.map(queries.toApiKey)
}

/** Returns the connections of an account, oldest first, whose apps have access or can renew it. */
export async function listConnections(scope: AccountScope): Promise<ApiKey[]> {
  const rows = await queries
    .selectKeys(scope)
    .where('revoked_at', 'is', null)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('oauth_records')
          .whereRef('oauth_records.grant_id', '=', 'api_keys.grant_id')
          .where('oauth_records.expires_at', '>', sql<Date>`now()`),
      ),
    )
    .execute()
  return rows.map(queries.toApiKey)
}

/** Returns a key of the account. @throws AppError `not_found` */
export async function getKey(scope: AccountScope, id: number): Promise<ApiKey> {
  const key = await queries.findKey(scope, id)
  if (!key) throw new AppError('not_found')
  return key
}

/**
 * Creates a key. By default, it has the scope `full` and is valid for all domains.
 *
 * @throws AppError `invalid_input` naming `name` or `domain`, `too_many_keys`
 */
export async function createKey(
  scope: Scope<Context>,
  { scope: keyScope = 'full', domain, expiresAt = null, name, connection }: KeyInput = {},
): Promise<NewKey> {
  const label = normalizeOptionalText('name', name, MAX_NAME_LENGTH)
  return transact(scope, async (tx) => {
    const boundDomain = await findKeyDomain(tx, domain)
    return insertNewKey(scope, unscoped(tx), {
      accountId: scope.accountId,
      scope: keyScope,
      domain: boundDomain,
      expiresAt,
      name: label,
      connection,
    })
  })
}

/** Returns the domain for a new key, if it has one. @throws AppError `invalid_input` naming `domain` */
export async function findKeyDomain(scope: AccountScope, host: KeyInput['domain']) {
  const domain = host ? await findOwnDomain(scope, parseHost(host)) : null
  if (domain === undefined) throw invalid('domain', 'not_branded_domain')
  return domain
}

/**
 * Replaces a key with a new one that has the same name, scope and domain. The old key stays valid
 * for up to `overlapMs`. Takes effect with the next request.
 *
 * @throws AppError `not_found`, `too_many_keys`
 */
export function rotateKey(scope: Scope<Context>, id: number, overlapMs: number): Promise<NewKey> {
  return transact(scope, async (tx) => {
    const now = scope.clock()
    const until = new Date(now.getTime() + overlapMs)
    const oldKey = await changeAndNotify(
      unscoped(tx),
      id,
      queries.limitKeyValidity(tx, id, { now, until }),
    )
    const { name, scope: keyScope, domain } = oldKey
    return insertNewKey(scope, unscoped(tx), {
      accountId: scope.accountId,
      name,
      scope: keyScope,
      domain,
    })
  })
}

/**
 * Revokes a key with immediate effect.
 *
 * @throws AppError `not_found`
 */
export function revokeKey(scope: Scope<Context>, id: number): Promise<ApiKey> {
  const change = { revoked_at: scope.clock() }
  return transact(scope, (tx) =>
    changeAndNotify(unscoped(tx), id, queries.updateKey(tx, id, change)),
  )
}

/**
 * Sets the expiration of a key, or removes it.
 *
 * @throws AppError `not_found`
 */
export function setKeyExpiration(
  scope: AccountScope,
  id: number,
  expiresAt: Date | null,
): Promise<ApiKey> {
  return transact(scope, (tx) =>
    changeAndNotify(unscoped(tx), id, queries.updateKey(tx, id, { expires_at: expiresAt })),
  )
}

/**
 * Waits for a change of a key and notifies all processes. Throws AppError `not_found` if there is
 * no such key.
 */
async function changeAndNotify(tx: Tx, id: number, change: Promise<ApiKey | undefined>) {
  const key = await change
  if (!key) throw new AppError('not_found', { text: 'rejections.key_unknown', args: { id } })
  await notify(tx, [{ kind: 'keys' }])
  return key
}

async function insertNewKey(
  ctx: Context,
  tx: Tx,
  values: Omit<Parameters<typeof queries.insertKey>[1], 'key'>,
): Promise<NewKey> {
  if (
    (await queries.countValidKeys({ db: tx, accountId: values.accountId }, ctx.clock())) >=
    KEYS_PER_ACCOUNT
  ) {
    throw new AppError('too_many_keys')
  }
  const key = generateKey()
  return { ...(await queries.insertKey(tx, { ...values, key })), key }
}
