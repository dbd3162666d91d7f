import type { Db } from '../db/pool.ts'
import { AppError } from '../errors.ts'
import { countLinksOf, findAccounts, findSeenAccount } from './operator-accounts.queries.ts'
import type { AccountCursor, AccountFilter, SeenAccount } from './seen-account.ts'

export type OperatorAccounts = ReturnType<typeof createOperatorAccounts>

export type AccountEntry = SeenAccount & { links: number }

/** One page of accounts, and from where its neighbours begin. */
export type AccountsPage = {
  entries: AccountEntry[]
  newer: number | undefined
  older: number | undefined
}

/** Accounts as the operator looks at them. */
export function createOperatorAccounts({ db }: { db: Db }) {
  return {
    /** Accounts that fit, the newest first: up to `limit` of them before or after another one. */
    async list(
      filter: AccountFilter,
      { limit, ...cursor }: AccountCursor & { limit: number },
    ): Promise<AccountsPage> {
      // Text that PostgreSQL cannot hold names nobody.
      if (filter.text?.includes('\0') || filter.text?.isWellFormed() === false) {
        return { entries: [], newer: undefined, older: undefined }
      }
      const found = await findAccounts(db, filter, { ...cursor, limit: limit + 1 })
      const isBack = cursor.after !== undefined
      const more = found.length > limit
      const shown = isBack ? found.slice(-limit) : found.slice(0, limit)
      const links = await countLinksOf(
        db,
        shown.map(({ id }) => id),
      )
      return {
        entries: shown.map((account) => ({ ...account, links: links.get(account.id) ?? 0 })),
        newer: (isBack ? more : cursor.before !== undefined) ? shown[0]?.id : undefined,
        older: (isBack || more) && shown.length > 0 ? shown.at(-1)?.id : undefined,
      }
    },

    /** @throws AppError `not_found` */
    async get(id: number): Promise<AccountEntry> {
      const account = await findSeenAccount(db, id)
      if (!account) throw new AppError('not_found')
      const links = await countLinksOf(db, [id])
      return { ...account, links: links.get(id) ?? 0 }
    },
  }
}
