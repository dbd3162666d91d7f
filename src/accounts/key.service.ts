import type { Clock } from '../clock.ts'
import { notify } from '../db/notify.ts'
import type { Db } from '../db/pool.ts'
import { inTransaction } from '../db/transaction.ts'
import { AppError } from '../errors.ts'
import { optionalText } from '../text.ts'
import { generateKey } from './api-key.ts'
import {
  type ApiKey,
  countValidKeys,
  endKeyBy,
  insertKey,
  listKeys,
  updateKey,
} from './key.queries.ts'

export type Keys = ReturnType<typeof createKeys>

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

  async function create(
    tx: Db,
    accountId: number,
    { expiresAt = null, name = null }: { expiresAt?: Date | null; name?: string | null },
  ) {
    if ((await countValidKeys(tx, accountId, clock())) >= KEYS_PER_ACCOUNT) {
      throw new AppError('too_many_keys')
    }
    const key = generateKey()
    return { ...(await insertKey(tx, { accountId, key, expiresAt, name })), key }
  }

  return {
    list: (accountId: number) => listKeys(db, accountId),

    /**
     * A further key, with a name of up to 50 characters; its text is in this answer and nowhere else.
     *
     * @throws AppError `invalid_input` naming `name`, `too_many_keys`
     */
    async create(
      accountId: number,
      expiresAt: Date | null = null,
      name?: string,
    ): Promise<ApiKey & { key: string }> {
      const called = optionalText('name', name, 50)
      return inTransaction(db, (tx) => create(tx, accountId, { expiresAt, name: called }))
    },

    /**
     * A new key in place of key `id` and of the same name; the old one stays valid for `overlap`
     * milliseconds at most.
     *
     * @throws AppError `not_found`, `too_many_keys`
     */
    rotate(accountId: number, id: number, overlap: number): Promise<ApiKey & { key: string }> {
      return inTransaction(db, async (tx) => {
        const now = clock()
        const until = new Date(now.getTime() + overlap)
        const { name } = await notified(tx, id, endKeyBy(tx, accountId, id, { now, until }))
        return create(tx, accountId, { name })
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
