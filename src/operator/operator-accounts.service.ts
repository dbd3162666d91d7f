import { sql } from 'kysely'
import { lowercase } from '../db/ignoring-case.queries.ts'
import type { Db } from '../db/pool.ts'
import { AppError } from '../errors.ts'
import { toAccount } from '../identity/account.queries.ts'
import type { Account } from '../identity/account.ts'
import { foldCase, isStorable } from '../text.ts'

/** An account as shown to admins. */
export type OperatorAccount = Account & { deleting: boolean; hasAdmin: boolean }

type AccountState = 'active' | 'suspended' | 'deleting' | 'admin'

type AccountFilter = {
  /** A part of the email address or username, ignoring case. */
  text?: string | undefined
  state?: AccountState | undefined
}

/**
 * The account before or after which the page starts. If neither is set, the list starts at the
 * first account.
 */
type AccountCursor = { before?: number | undefined; after?: number | undefined }

/** SQL: whether an admin is a member of the account. */
const hasAdmin = sql<boolean>`exists (
  select from members join users on users.id = members.user_id
  where members.account_id = accounts.id and users.admin
)`

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

/**
 * Returns up to `limit` accounts, newest first, starting at a cursor, so that the cost of a page
 * does not depend on the number of accounts. A search text that rarely occurs requires a scan of
 * all accounts.
 */
async function findAccounts(
  db: Db,
  { text, state }: AccountFilter,
  { before, after, limit }: AccountCursor & { limit: number },
): Promise<OperatorAccount[]> {
  let query = db.selectFrom('accounts').selectAll().select(hasAdmin.as('has_admin'))
  if (text) {
    const part = foldCase(text)
    query = query.where(({ or }) =>
      or([
        sql<boolean>`strpos(${lowercase('email')}, ${part}) > 0`,
        sql<boolean>`strpos(${lowercase('username')}, ${part}) > 0`,
      ]),
    )
  }
  if (state === 'admin') query = query.where(hasAdmin)
  if (state === 'active') query = query.where('suspended_at', 'is', null)
  if (state === 'deleting') query = query.where('deleting_since', 'is not', null)
  if (state === 'suspended') {
    query = query.where('suspended_at', 'is not', null).where('deleting_since', 'is', null)
  }
  if (before !== undefined) query = query.where('id', '<', before)
  if (after !== undefined) query = query.where('id', '>', after)
  const rows = await query
    .orderBy('id', after === undefined ? 'desc' : 'asc')
    .limit(limit)
    .execute()
  const accounts = rows.map(toOperatorAccount)
  return after === undefined ? accounts : accounts.reverse()
}

async function findOperatorAccount(db: Db, id: number): Promise<OperatorAccount | undefined> {
  const row = await db
    .selectFrom('accounts')
    .selectAll()
    .select(hasAdmin.as('has_admin'))
    .where('id', '=', id)
    .executeTakeFirst()
  return row && toOperatorAccount(row)
}

/** Returns the number of links per account. Omits accounts without links. */
async function countLinksByAccount(
  db: Db,
  accountIds: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  const rows = await db
    .selectFrom('row_counts')
    .select(['owner_id', ({ fn }) => fn.sum<string>('rows').as('links')])
    .where('kind', '=', 'links')
    .where('owner_id', '=', sql<number>`any(${[...accountIds]}::bigint[])`)
    .groupBy('owner_id')
    .execute()
  return new Map(rows.map(({ owner_id, links }) => [owner_id, Number(links)]))
}

function toOperatorAccount(
  row: Parameters<typeof toAccount>[0] & { deleting_since: Date | null; has_admin: boolean },
): OperatorAccount {
  return { ...toAccount(row), deleting: row.deleting_since !== null, hasAdmin: row.has_admin }
}
