import type { Keys } from '../accounts/key.service.ts'
import { formatTimestamp } from '../http/timestamp.ts'
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
  summary: 'make a further key, which is shown this once',
  required: OWNER,
  optional: { expires: 'when the key ends in UTC: YYYY-MM-DD[ HH:MM:SS], or never (default)' },
  async run(context, { account, expires = 'never' }) {
    const { accounts, keys, clock } = await context.features()
    const end = parseEnd('expires', expires, clock())
    const owner = await accounts.byEmail(account)
    return presentNew(await keys.create(owner.id, end))
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
    const { accounts, keys } = await context.features()
    const owner = await accounts.byEmail(account)
    return presentNew(await keys.rotate(owner.id, id, time))
  },
})

export const keyRevoke = command({
  summary: 'refuse a key from the next request on, for ever',
  required: { ...OWNER, id: ID },
  async run(context, { account, ...input }) {
    const id = parseId('id', input.id)
    const { accounts, keys } = await context.features()
    const owner = await accounts.byEmail(account)
    return present(await keys.revoke(owner.id, id))
  },
})

export const keyExpire = command({
  summary: 'have a key end at a moment, or never',
  required: { ...OWNER, id: ID, at: 'the moment in UTC: YYYY-MM-DD[ HH:MM:SS], or never' },
  async run(context, { account, at, ...input }) {
    const id = parseId('id', input.id)
    const { accounts, keys, clock } = await context.features()
    const end = parseEnd('at', at, clock())
    const owner = await accounts.byEmail(account)
    return present(await keys.expire(owner.id, id, end))
  },
})

function presentNew({ key, ...rest }: ApiKey & { key: string }) {
  return { id: rest.id, key, expires: rest.expiresAt && formatTimestamp(rest.expiresAt) }
}

function present({ id, prefix, createdAt, expiresAt, revokedAt, lastUsedAt }: ApiKey) {
  return {
    id,
    prefix,
    created: formatTimestamp(createdAt),
    expires: expiresAt && formatTimestamp(expiresAt),
    revoked: revokedAt && formatTimestamp(revokedAt),
    lastUsed: lastUsedAt && formatTimestamp(lastUsedAt),
  }
}
