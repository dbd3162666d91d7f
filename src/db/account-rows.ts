import type { Db } from './pool.ts'
import type { DB } from './tables.generated.ts'

declare const connection: unique symbol
declare const db: Db

/** An account, and the connection by which its rows are read and written. */
export type AccountScope<Connection extends Db = Db> = {
  db: AccountDb<Connection>
  accountId: number
}

/**
 * The connection of a scope. It inserts rows, but does not begin other statements or run SQL:
 * `own` limits them to the account's rows, and `unscoped` says that a statement is not limited.
 */
export type AccountDb<Connection extends Db = Db> = Omit<Connection, Unlimited> & {
  [connection]?: Connection
}

type Unlimited =
  | 'selectFrom'
  | 'updateTable'
  | 'deleteFrom'
  | 'mergeInto'
  | 'replaceInto'
  | 'with'
  | 'withRecursive'
  | 'connection'
  | 'transaction'
  | 'startTransaction'
  | 'withPlugin'
  | 'withoutPlugins'
  | 'withSchema'
  | 'withTables'
  | 'getExecutor'
  | 'executeQuery'

/** The tables whose rows belong to accounts, and the accounts themselves. */
type AccountTable =
  | 'accounts'
  | {
      [Table in keyof DB]: DB[Table] extends { account_id: number | null } ? Table : never
    }[keyof DB]
type NamedTable = AccountTable | `${AccountTable} as ${string}`

/**
 * Begins a statement that reads or changes only rows of the scope's account, and only links on the
 * domain to which the caller's key is bound.
 */
export function own(scope: AccountScope & { domain?: { id: number } | null }) {
  const all = unscoped(scope)
  function limit<Query>(query: Query, table: NamedTable): Query {
    const [name, alias = name] = table.split(' as ')
    const column = `${alias}.${name === 'accounts' ? 'id' : 'account_id'}`
    const limited = (query as Limited).where(column, '=', scope.accountId)
    return (
      name === 'links' && scope.domain
        ? limited.where(`${alias}.domain_id`, '=', scope.domain.id)
        : limited
    ) as Query
  }
  return {
    selectFrom: <T extends NamedTable>(table: T): ReturnType<typeof db.selectFrom<T>> =>
      limit(all.selectFrom(table), table),
    updateTable: <T extends AccountTable>(table: T): ReturnType<typeof db.updateTable<T>> =>
      limit(all.updateTable(table), table),
    deleteFrom: <T extends AccountTable>(table: T): ReturnType<typeof db.deleteFrom<T>> =>
      limit(all.deleteFrom(table), table),
  }
}

type Limited = { where(column: string, operator: '=', value: number): Limited }

/** Returns a scope's connection, for statements that are limited in another way than by `own`. */
export function unscoped<Connection extends Db>(scope: { db: AccountDb<Connection> }): Connection {
  return scope.db as unknown as Connection
}
