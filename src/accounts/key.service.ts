import type { Clock } from '../clock.ts'
import { notify } from '../db/notify.ts'
import type { Db } from '../db/pool.ts'
import { inTransaction } from '../db/transaction.ts'
import { AppError } from '../errors.ts'
import { generateKey } from './api-key.ts'
import { type ApiKey, endKeyBy, insertKey, listKeys, updateKey } from './key.queries.ts'

export type Keys = ReturnType<typeof createKeys>

/** The keys of an account. Every change is in force on the next request. */
export function createKeys({ db, clock }: { db: Db; clock: Clock }) {
  async function notified(tx: Db, id: number, changed: Promise<ApiKey | undefined>) {
    const key = await changed
    if (!key) throw new AppError('not_found', `The account has no key ${id} that is in force.`)
    await notify(tx, [{ kind: 'keys' }])
    return key
  }

  async function create(tx: Db, accountId: number, expiresAt: Date | null) {
    const key = generateKey()
    return { ...(await insertKey(tx, { accountId, key, expiresAt })), key }
  }

  return {
    list: (accountId: number) => listKeys(db, accountId),

    /** A further key; its text is in this answer and nowhere else. */
    create: (accountId: number, expiresAt: Date | null = null): Promise<ApiKey & { key: string }> =>
      create(db, accountId, expiresAt),

    /** A new key in place of key `id`, which stays valid for `overlap` milliseconds at most. */
    rotate(accountId: number, id: number, overlap: number): Promise<ApiKey & { key: string }> {
      return inTransaction(db, async (tx) => {
        const now = clock()
        const until = new Date(now.getTime() + overlap)
        await notified(tx, id, endKeyBy(tx, accountId, id, { now, until }))
        return create(tx, accountId, null)
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
