import type { Selectable } from 'kysely'
import { createDataLoader } from '../concurrency/data-loader.ts'
import { convertDatabaseError, isRowError } from '../db/errors.ts'
import type { Db } from '../db/pool.ts'
import { prepareStatement } from '../db/prepared.ts'
import type { Links } from '../db/tables.generated.ts'
import { inSavepoint, isTransaction } from '../db/transaction.ts'
import { COLUMN_DEFAULTS } from './fields.ts'

/** The writable columns of a link. */
export type LinkColumns = Omit<
  Selectable<Links>,
  'id' | 'blocked_at' | 'block_reason' | 'search_text' | 'ends_at'
>
/** A link to insert. Missing columns get their default values. */
export type LinkRow = Pick<LinkColumns, 'account_id' | 'alias' | 'url'> & Partial<LinkColumns>

export type InsertedLink = { id: number; createdAt: Date }
/**
 * The inserted link, or undefined if the alias is taken. It is a rejection if PostgreSQL rejects
 * the row.
 */
export type InsertResult = PromiseSettledResult<InsertedLink | undefined>
/** Inserts a link outside of a transaction, batched with other concurrent inserts. */
export type InsertLink = (row: LinkRow, isAliasChosen: boolean) => Promise<InsertResult>

const MAX_ROWS = 200

/** All writable columns with their defaults. */
const DEFAULTS: LinkColumns = {
  account_id: 0,
  kind: 'link',
  domain_id: null,
  alias: '',
  status: 'active',
  ...COLUMN_DEFAULTS,
  created_by: null,
  archived_at: null,
  used_up_at: null,
  created_at: new Date(0),
}
const { created_at: _, ...defaults } = DEFAULTS
const columns = Object.keys(defaults).join()

type InsertedRow = { id: number; domain_id: number | null; alias: string; created_at: Date }

// The only statement that creates links. Ids are assigned in the order of the rows. Rows are
// inserted in the order of their aliases, so that concurrent statements with the same aliases
// cannot deadlock.
const insert = prepareStatement<InsertedRow>(`
insert into links (id, ${columns}, created_at) overriding system value
select new_id, ${columns}, coalesce(created_at, now())
from (
  select nextval('links_id_seq') as new_id, given.*
  from json_populate_recordset(
    json_populate_record(null::links, '${JSON.stringify(defaults)}'), $1::json) given
) numbered
order by alias collate "C", domain_id, new_id
on conflict on constraint links_alias_key do nothing
returning id, domain_id, alias, created_at`)

/** Inserts links. A result is undefined if the unique index reports that the alias is taken. */
export async function insertLinks(
  db: Db,
  rows: readonly LinkRow[],
): Promise<(InsertedLink | undefined)[]> {
  const inserted = await insert(db, [JSON.stringify(rows)])
  const byAddress = new Map(inserted.map((row) => [addressKey(row), row]))
  return rows.map((row) => {
    const address = addressKey(row)
    const insertedRow = byAddress.get(address)
    // If several rows have the same alias, the first one gets it.
    byAddress.delete(address)
    return insertedRow && { id: insertedRow.id, createdAt: insertedRow.created_at }
  })
}

/**
 * Inserts links, which may belong to different accounts. If PostgreSQL rejects a row, for example
 * because its domain was just deleted, only that row fails. It is found by bisection.
 */
export async function insertEach(db: Db, rows: readonly LinkRow[]): Promise<InsertResult[]> {
  try {
    // In a transaction, a savepoint lets the statement fail without aborting the transaction.
    const inserted = isTransaction(db)
      ? await inSavepoint(db, () => insertLinks(db, rows))
      : await insertLinks(db, rows)
    return inserted.map((value) => ({ status: 'fulfilled', value }))
  } catch (reason) {
    if (!isRowError(reason)) throw reason
    if (rows.length === 1) return [{ status: 'rejected', reason: convertDatabaseError(reason) }]
    return bisect(db, rows)
  }
}

async function bisect(db: Db, rows: readonly LinkRow[]): Promise<InsertResult[]> {
  const ordered = rows.toSorted((a, b) =>
    Buffer.compare(Buffer.from(a.alias), Buffer.from(b.alias)),
  )
  const middle = Math.ceil(ordered.length / 2)
  const results = [
    ...(await insertEach(db, ordered.slice(0, middle))),
    ...(await insertEach(db, ordered.slice(middle))),
  ]
  const byRow = new Map(results.map((result, index) => [ordered[index], result]))
  return rows.flatMap((row) => byRow.get(row) ?? [])
}

/**
 * Creates the function that inserts links one at a time or in batches. A link with a chosen alias
 * may wait for another transaction with the same alias, so it is batched only with links of the
 * same account.
 */
export function createLinkInserter(db: Db): InsertLink {
  const load = createDataLoader<LinkRow, InsertResult>({
    load: (rows) => insertEach(db, rows),
    maxKeys: MAX_ROWS,
    maxConcurrent: 1,
  })
  return (row, isAliasChosen) => load(row, isAliasChosen ? `account ${row.account_id}` : 'any')
}

function addressKey({ domain_id, alias }: Pick<LinkRow, 'domain_id' | 'alias'>): string {
  return `${domain_id ?? null} ${alias}`
}
