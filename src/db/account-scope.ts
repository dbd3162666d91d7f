import type { Db } from './pool.ts'

/** An account, and the connection by which its rows are read and written. */
export type AccountScope<Connection extends Db = Db> = { db: Connection; accountId: number }
