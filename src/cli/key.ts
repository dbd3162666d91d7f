import type { Keys } from '../accounts/key.service.ts'
import { checkScope } from '../accounts/key-scope.ts'
import { formatTimestamp } from '../http/timestamp.ts'
import type { Action } from '../operator/action.ts'
import type { OperatorServices } from '../wiring/operator.ts'
import { act } from './act.ts'
import { command } from './command.ts'
import { OWNER } from './owner.ts'
import { parseDuration, parseEnd, parseId } from './values.ts'

type ApiKey = Awaited<ReturnType<Keys['list']>>[number]

const ID = 'the id of the key, as key list shows it'

export const keyList = command({
  summary: 'show the keys of an account, never their secret part',
  required: OWNER,
  async run(context, { account }) {
    const { accounts, keys } = await context.features()
    const owner = await accounts.byEmail(account)
    return { keys: (await keys.list(owner.id)).map(present) }
  },
})

export const keyCreate = command({
  summary: 'create a key, which is shown this once',
  required: OWNER,
  optional: {
    scope: 'full (default), links, create or read: docs/keys.md says what each may do',
    domain: 'the branded domain to whose links the key is limited',
    expires: 'when the key ends in UTC: YYYY-MM-DD[ HH:MM:SS], or never (default)',
  },
  async run(context, { account, scope = 'full', domain, expires = 'never' }) {
    const checked = checkScope(scope)
    const features = await context.features()
    const expiresAt = parseEnd('expires', expires, features.clock())
    const input = { scope: checked, domain, expiresAt }
    return presentNew(
      await change(features, account, 'key.create', (keys, owner) => keys.create(owner, input)),
    )
  },
})

export const keyRotate = command({
  summary: 'make a new key, which is shown this once, in place of another',
  required: { ...OWNER, id: ID },
  optional: {
    overlap: 'how long the old key stays valid: seconds, 30m, 1h or 7d; by default it ends at once',
  },
  async run(context, { account, overlap = '0', ...input }) {
    const id = parseId('id', input.id)
    const time = parseDuration('overlap', overlap)
    const features = await context.features()
    return presentNew(
      await change(features, account, 'key.rotate', (keys, owner) => keys.rotate(owner, id, time)),
    )
  },
})

export const keyRevoke = command({
  summary: 'refuse a key from the next request on, for ever',
  required: { ...OWNER, id: ID },
  async run(context, { account, ...input }) {
    const id = parseId('id', input.id)
    const features = await context.features()
    return present(
      await change(features, account, 'key.revoke', (keys, owner) => keys.revoke(owner, id)),
    )
  },
})

export const keyExpire = command({
  summary: 'have a key end at a moment, or never',
  required: { ...OWNER, id: ID, at: 'the moment in UTC: YYYY-MM-DD[ HH:MM:SS], or never' },
  async run(context, { account, at, ...input }) {
    const id = parseId('id', input.id)
    const features = await context.features()
    const end = parseEnd('at', at, features.clock())
    return present(
      await change(features, account, 'key.expire', (keys, owner) => keys.expire(owner, id, end)),
    )
  },
})

/** Changes a key of the account with this e-mail address. */
function change<Key extends ApiKey>(
  features: OperatorServices,
  account: string,
  action: Action,
  work: (keys: Keys, accountId: number) => Promise<Key>,
): Promise<Key> {
  return act(features, {
    account,
    action,
    work: ({ keys }, accountId) => work(keys, accountId),
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
