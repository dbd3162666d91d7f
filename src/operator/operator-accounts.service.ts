import type { Db } from '../db/pool.ts'
import { AppError } from '../errors.ts'
import { isStorable } from '../text.ts'
import type { AccountCursor, AccountFilter, OperatorAccount } from './operator-account.ts'
import {
  countLinksByAccount,
  findAccounts,
  findOperatorAccount,
} from './operator-accounts.queries.ts'

export type AccountEntry = OperatorAccount & { links: number }

/** One page of accounts, with the cursors of the previous and next pages. */
export type AccountsPage = {
  entries: AccountEntry[]
  newer: number | undefined
  older: number | undefined
}

/** Lists up to `limit` matching accounts before or after a cursor, newest first. */
export async function listOperatorAccounts(
  db: Db,
  filter: AccountFilter,
  { limit, ...cursor }: AccountCursor & { limit: number },
): Promise<AccountsPage> {
  // PostgreSQL cannot store such text, so no account contains it.
  if (filter.text !== undefined && !isStorable(filter.text)) {
    return { entries: [], newer: undefined, older: undefined }
  }
  const accounts = await findAccounts(db, filter, { ...cursor, limit: limit + 1 })
  const isBackward = cursor.after !== undefined
  const hasMore = accounts.length > limit
  const page = isBackward ? accounts.slice(-limit) : accounts.slice(0, limit)
  const ids = page.map(({ id }) => id)
  const links = await countLinksByAccount(db, ids)
  return {
    entries: page.map((account) => ({ ...account, links: links.get(account.id) ?? 0 })),
    newer: (isBackward ? hasMore : cursor.before !== undefined) ? page[0]?.id : undefined,
    older: (isBackward || hasMore) && page.length > 0 ? page.at(-1)?.id : undefined,
  }
}

/** Returns an account. @throws AppError `not_found` */
export async function getOperatorAccount(db: Db, id: number): Promise<AccountEntry> {
  const account = await findOperatorAccount(db, id)
  if (!account) throw new AppError('not_found')
  const links = await countLinksByAccount(db, [id])
  return { ...account, links: links.get(id) ?? 0 }
}
