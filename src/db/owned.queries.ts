import type { Insertable, Selectable, Updateable } from 'kysely'
import { type AccountScope, own } from './account-rows.ts'
import type { Page, PageQuery } from './pagination.ts'
import { type OwnedTable, readPageOfIds } from './pagination.ts'
import type { Db } from './pool.ts'
import type { DB } from './tables.generated.ts'
import type { Tx } from './transaction.ts'

type Row<Table extends OwnedTable> = Selectable<DB[Table]>

/** Returns one page of an account's rows, newest first, and their total number. */
export async function listOwned<Table extends OwnedTable, Column extends keyof Row<Table> & string>(
  scope: AccountScope,
  table: Table,
  columns: readonly Column[],
  page: PageQuery,
): Promise<Page<Pick<Row<Table>, Column>>> {
  const { ids, total } = await readPageOfIds(scope, table, page)
  if (ids.length === 0) return { entries: [], total }
  const rows = await own(scope)
    .selectFrom<OwnedTable>(table)
    .select(columns as readonly never[])
    .where('id', 'in', ids)
    .orderBy('id', 'desc')
    .execute()
  return { entries: rows as unknown as Pick<Row<Table>, Column>[], total }
}

/** Returns a row of an account, or undefined if there is no such row. */
export async function findOwned<Table extends OwnedTable>(
  scope: AccountScope,
  table: Table,
  id: number,
): Promise<Row<Table> | undefined> {
  const row = await own(scope)
    .selectFrom<OwnedTable>(table)
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirst()
  return row as Row<Table> | undefined
}

/** Returns whether a row of any account has a value. */
export async function hasRow(
  db: Db,
  table: OwnedTable,
  column: string,
  value: string,
): Promise<boolean> {
  const row = await db
    .selectFrom<OwnedTable>(table)
    .select('id')
    .where(column as never, '=', value as never)
    .executeTakeFirst()
  return row !== undefined
}

/**
 * Returns a row of an account and locks it until the transaction ends. Returns undefined if there
 * is no such row.
 */
export async function lockOwned<Table extends OwnedTable>(
  scope: AccountScope<Tx>,
  table: Table,
  id: number,
): Promise<Row<Table> | undefined> {
  const row = await own(scope)
    .selectFrom<OwnedTable>(table)
    .selectAll()
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  return row as Row<Table> | undefined
}

/** Stores a row of an account and returns it. */
export async function insertOwned<Table extends OwnedTable>(
  scope: AccountScope,
  table: Table,
  values: Omit<Insertable<DB[Table]>, 'account_id'>,
): Promise<Row<Table>> {
  const row = await scope.db
    .insertInto<OwnedTable>(table)
    .values({ ...values, account_id: scope.accountId } as never)
    .returningAll()
    .executeTakeFirstOrThrow()
  return row as Row<Table>
}

/**
 * Updates a row of an account and returns it, or undefined if there is no such row. `changes` must
 * not be empty.
 */
export async function updateOwned<Table extends OwnedTable>(
  scope: AccountScope,
  table: Table,
  id: number,
  changes: Updateable<DB[Table]>,
): Promise<Row<Table> | undefined> {
  const row = await own(scope)
    .updateTable<OwnedTable>(table)
    .set(changes as Record<never, never>)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()
  return row as Row<Table> | undefined
}

/**
 * Deletes a row of an account, including dependent rows. Returns the row, or undefined if there is
 * no such row.
 */
export async function deleteOwned<Table extends OwnedTable>(
  scope: AccountScope,
  table: Table,
  id: number,
): Promise<Row<Table> | undefined> {
  const row = await own(scope)
    .deleteFrom<OwnedTable>(table)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()
  return row as Row<Table> | undefined
}
