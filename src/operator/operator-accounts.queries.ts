import { sql } from 'kysely'
import { toAccount } from '../accounts/account.queries.ts'
import { lowercase } from '../accounts/ignoring-case.queries.ts'
import type { Db } from '../db/pool.ts'
import { foldCase } from '../text.ts'
import type { AccountCursor, AccountFilter, OperatorAccount } from './operator-account.ts'

/** SQL: whether an admin is a member of the account. */
const hasAdmin = sql<boolean>`exists (
  select from members join users on users.id = members.user_id
  where members.account_id = accounts.id and users.admin
)`

/**
 * Returns up to `limit` accounts, newest first, starting at a cursor, so that the cost of a page
 * does not depend on the number of accounts. A search text that rarely occurs requires a scan of
 * all accounts.
 */
export async function findAccounts(
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

export async function findOperatorAccount(
  db: Db,
  id: number,
): Promise<OperatorAccount | undefined> {
  const row = await db
    .selectFrom('accounts')
    .selectAll()
    .select(hasAdmin.as('has_admin'))
    .where('id', '=', id)
    .executeTakeFirst()
  return row && toOperatorAccount(row)
}

/** Returns the number of links per account. Omits accounts without links. */
export async function countLinksByAccount(
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
