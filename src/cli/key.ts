import type { Tx } from '../db/transaction.ts'
import { formatTimestamp } from '../http/timestamp.ts'
import { getAccountByEmailOrUsername } from '../identity/account.service.ts'
import {
  createKey,
  listKeys,
  revokeKey,
  rotateKey,
  setKeyExpiration,
} from '../identity/key.service.ts'
import { checkScope } from '../identity/key-scope.ts'
import type { Action } from '../operator-log/action.ts'
import { scopeOf } from '../scope.ts'
import type { ServiceContext } from './command.ts'
import { defineCommand } from './command.ts'
import { changeAndLog, OWNER } from './context.ts'
import { parseDuration, parseEnd, parseId } from './values.ts'

type ApiKey = Awaited<ReturnType<typeof listKeys>>[number]

const ID = 'the id of the key, from key list'

export const keyList = defineCommand({
  summary: 'list the keys of an account, without their secrets',
  required: OWNER,
  async run(context, { account }) {
    const ctx = await context.connect()
    const owner = await getAccountByEmailOrUsername(ctx.db, account)
    return { keys: (await listKeys({ db: ctx.db, accountId: owner.id })).map(present) }
  },
})

export const keyCreate = defineCommand({
  summary: 'create a key, which is shown only once',
  required: OWNER,
  optional: {
    scope: 'full (default), links, create or read: see docs/keys.md',
    domain: 'limit the key to the links on this branded domain',
    expires: 'expiration in UTC: YYYY-MM-DD[ HH:MM:SS], or never (default)',
  },
  async run(context, { account, scope = 'full', domain, expires = 'never' }) {
    const checkedScope = checkScope(scope)
    const ctx = await context.connect()
    const expiresAt = parseEnd('expires', expires, ctx.clock())
    const input = { scope: checkedScope, domain, expiresAt }
    return presentNew(
      await changeKey(ctx, account, 'key.create', (tx, owner) =>
        createKey(scopeOf({ ...ctx, db: tx }, owner), input),
      ),
    )
  },
})

export const keyRotate = defineCommand({
  summary: 'replace a key with a new one, which is shown only once',
  required: { ...OWNER, id: ID },
  optional: {
    overlap: 'how long the old key stays valid: seconds, 30m, 1h or 7d; default 0',
  },
  async run(context, { account, overlap = '0', ...input }) {
    const id = parseId('id', input.id)
    const overlapMs = parseDuration('overlap', overlap)
    const ctx = await context.connect()
    return presentNew(
      await changeKey(ctx, account, 'key.rotate', (tx, owner) =>
        rotateKey(scopeOf({ ...ctx, db: tx }, owner), id, overlapMs),
      ),
    )
  },
})

export const keyRevoke = defineCommand({
  summary: 'revoke a key permanently and immediately',
  required: { ...OWNER, id: ID },
  async run(context, { account, ...input }) {
    const id = parseId('id', input.id)
    const ctx = await context.connect()
    return present(
      await changeKey(ctx, account, 'key.revoke', (tx, owner) =>
        revokeKey(scopeOf({ ...ctx, db: tx }, owner), id),
      ),
    )
  },
})

export const keyExpire = defineCommand({
  summary: 'set or clear the expiration of a key',
  required: { ...OWNER, id: ID, at: 'the expiration in UTC: YYYY-MM-DD[ HH:MM:SS], or never' },
  async run(context, { account, at, ...input }) {
    const id = parseId('id', input.id)
    const ctx = await context.connect()
    const end = parseEnd('at', at, ctx.clock())
    return present(
      await changeKey(ctx, account, 'key.expire', (tx, owner) =>
        setKeyExpiration({ db: tx, accountId: owner }, id, end),
      ),
    )
  },
})

/** Changes a key of the account with this username or owner's email address. */
function changeKey<Key extends ApiKey>(
  ctx: ServiceContext,
  account: string,
  action: Action,
  work: (tx: Tx, accountId: number) => Promise<Key>,
): Promise<Key> {
  return changeAndLog(ctx, {
    account,
    action,
    work,
    detail: ({ prefix, scope, domain }) =>
      [`${prefix}…`, scope, ...(domain ? [domain.host] : [])].join(' '),
  })
}

function presentNew({ id, key, scope, domain, expiresAt }: ApiKey & { key: string }) {
  const expires = expiresAt && formatTimestamp(expiresAt)
  return { id, key, scope, domain: domain?.host ?? null, expires }
}

function present(key: ApiKey) {
  const { id, prefix, scope, domain, createdAt, expiresAt, revokedAt, lastUsedAt } = key
  return {
    id,
    prefix,
    scope,
    domain: domain?.host ?? null,
    created: formatTimestamp(createdAt),
    expires: expiresAt && formatTimestamp(expiresAt),
    revoked: revokedAt && formatTimestamp(revokedAt),
    lastUsed: lastUsedAt && formatTimestamp(lastUsedAt),
  }
}
