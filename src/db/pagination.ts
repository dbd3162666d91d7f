import type { Generated } from 'kysely'
import { type AccountScope, own, unscoped } from './account-rows.ts'
import type { DefaultNow } from './column-types.ts'
import { countRows } from './row-counts.queries.ts'
import type { DB } from './tables.generated.ts'

/**
 * Tables of small resources that belong to accounts. Rows are accessed by `(account_id, id)` in one
 * statement. The lists are short, so rows are counted on request.
 */
export type OwnedTable = {
  [Table in keyof DB]: DB[Table] extends Owned ? Table : never
}[keyof DB]

type Owned = { id: Generated<number>; account_id: number; created_at: DefaultNow<string> }

export type PageQuery = { limit: number; offset: number }
/** A page of a list, and the total number of entries. */
export type Page<Entry> = {
  entries: Entry[]
  total: number
  /** Whether there are more than `total` entries, because not all of them were counted. */
  hasMore?: boolean
  /**
   * Set if not all links were searched: all those with this id and above were. The search can
   * continue before it.
   */
  readTo?: number
}

/**
 * Returns how to read a page of a descending list with `total` entries from the nearer end.
 * `restoreOrder` restores the order of the list.
 */
export function planPageRead({ limit, offset }: PageQuery, total: number) {
  const size = Math.max(0, Math.min(limit, total - offset))
  const entriesAfter = total - offset - size
  const isFromEnd = entriesAfter < offset
  const direction: 'asc' | 'desc' = isFromEnd ? 'asc' : 'desc'
  return {
    size,
    skip: isFromEnd ? entriesAfter : offset,
    direction,
    restoreOrder: <Entry>(entries: Entry[]): Entry[] => (isFromEnd ? entries.reverse() : entries),
  }
}

/**
 * Returns the ids on one page of an account's rows, newest first, and the total. Reads along the
 * index on `(account_id, id)` from the nearer end, so that deep pages are fast.
 */
export async function readPageOfIds(
  scope: AccountScope,
  table: OwnedTable | 'qr_codes',
  { limit, offset }: PageQuery,
): Promise<{ ids: number[]; total: number }> {
  const total = await countOwned(scope, table)
  const { size, skip, direction, restoreOrder } = planPageRead({ limit, offset }, total)
  if (size === 0) return { ids: [], total }
  const rows = await own(scope)
    .selectFrom(table)
    .select('id')
    .orderBy('id', direction)
    .limit(size)
    .offset(skip)
    .execute()
  return { ids: restoreOrder(rows.map(({ id }) => id)), total }
}

async function countOwned(scope: AccountScope, table: OwnedTable | 'qr_codes'): Promise<number> {
  if (table === 'qr_codes') return countRows(unscoped(scope), table, scope.accountId)
  const { total } = await own(scope)
    .selectFrom(table)
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  return total
}
