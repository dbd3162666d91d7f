import type { Clock } from '../clock.ts'
import { notify } from '../db/notify.ts'
import type { Db } from '../db/pool.ts'
import { inTransaction } from '../db/transaction.ts'
import { findOwnDomain } from '../domains/domain.queries.ts'
import { namedHost } from '../domains/hosts.ts'
import { AppError, invalid } from '../errors.ts'
import { optionalText } from '../text.ts'
import { generateKey } from './api-key.ts'
import {
  type ApiKey,
  countValidKeys,
  endKeyBy,
  findKey,
  insertKey,
  listKeys,
  updateKey,
} from './key.queries.ts'
import type { Scope } from './key-scope.ts'

export type Keys = ReturnType<typeof createKeys>

export type KeyInput = {
  scope?: Scope
  /** The host of a branded domain of the account, with or without its scheme. */
  domain?: string | undefined
  expiresAt?: Date | null
  /** Up to 50 characters. */
  name?: string | undefined
}

/** Keys in force that an account may have: each has a rate limit of its own. */
const KEYS_PER_ACCOUNT = 20

/** The keys of an account. Every change is in force on the next request. */
export function createKeys({ db, clock }: { db: Db; clock: Clock }) {
  async function notified(tx: Db, id: number, changed: Promise<ApiKey | undefined>) {
    const key = await changed
    if (!key) throw new AppError('not_found', `The account has no key ${id} that is in force.`)
    await notify(tx, [{ kind: 'keys' }])
    return key
  }

  async function create(tx: Db, values: Omit<Parameters<typeof insertKey>[1], 'key'>) {
    if ((await countValidKeys(tx, values.accountId, clock())) >= KEYS_PER_ACCOUNT) {
      throw new AppError('too_many_keys')
    }
    const key = generateKey()
    return { ...(await insertKey(tx, { ...values, key })), key }
  }

  return {
    list: (accountId: number) => listKeys(db, accountId),

    /** @throws AppError `not_found` */
    async get(accountId: number, id: number): Promise<ApiKey> {
      const key = await findKey(db, accountId, id)
      if (!key) throw new AppError('not_found')
      return key
    },

    /**
     * Creates a key, by default with the scope `full` and for all domains. Its text is returned here
     * and stored nowhere.
     *
     * @throws AppError `invalid_input` naming `name` or `domain`, `too_many_keys`
     */
    async create(
      accountId: number,
      { scope = 'full', domain, expiresAt = null, name }: KeyInput = {},
    ): Promise<ApiKey & { key: string }> {
      const label = optionalText('name', name, 50)
      return inTransaction(db, async (tx) => {
        const bound = domain ? await findOwnDomain(tx, accountId, namedHost(domain)) : null
        if (bound === undefined) throw invalid('domain', 'is not a branded domain of this account')
        return create(tx, { accountId, scope, domain: bound, expiresAt, name: label })
      })
    },

    /**
     * Replaces key `id` by a new one with the same name, scope and domain. The old key stays valid for
     * `overlap` milliseconds at most.
     *
     * @throws AppError `not_found`, `too_many_keys`
     */
    rotate(accountId: number, id: number, overlap: number): Promise<ApiKey & { key: string }> {
      return inTransaction(db, async (tx) => {
        const now = clock()
        const until = new Date(now.getTime() + overlap)
        const old = await notified(tx, id, endKeyBy(tx, accountId, id, { now, until }))
        const { name, scope, domain } = old
        return create(tx, { accountId, name, scope, domain })
      })
    },

    revoke: (accountId: number, id: number): Promise<ApiKey> =>
      inTransaction(db, (tx) =>
        notified(tx, id, updateKey(tx, accountId, id, { revoked_at: clock() })),
      ),

    /** Lets key `id` end at `at`, or never. */
    expire: (accountId: number, id: number, at: Date | null): Promise<ApiKey> =>
      inTransaction(db, (tx) => notified(tx, id, updateKey(tx, accountId, id, { expires_at: at }))),
  }
}
