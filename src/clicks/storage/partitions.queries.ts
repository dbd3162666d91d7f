import { sql } from 'kysely'
import { MAINTENANCE_LOCK } from '../../db/lock.ts'
import type { Db } from '../../db/pool.ts'
import type { Tx } from '../../db/transaction.ts'
import { isDistributed } from './distribute.queries.ts'
import { firstDay, partitionMonth, partitionName } from './months.ts'

/** The second half of the advisory lock key. The first is MAINTENANCE_LOCK. */
const PARTITIONS = 2

/** Prevents other processes from creating partitions until the end of the transaction. */
export async function lockPartitions(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock(${MAINTENANCE_LOCK}::int, ${PARTITIONS}::int)`.execute(tx)
}

/**
 * Makes replication identify the rows of tables without a key by all of their columns, so that a
 * cluster can move the rows during writes. This has a cost only if `wal_level` is `logical`, and
 * only when rows are deleted.
 * https://docs.citusdata.com/en/stable/develop/api_udf.html#citus-rebalance-start
 */
export async function identifyRows(db: Db, tables: readonly string[]): Promise<void> {
  for (const table of tables) {
    await sql`alter table ${sql.table(table)} replica identity full`.execute(db)
  }
}

/**
 * Creates a partition. The table is created first and then attached, so that concurrent writes are
 * not blocked. Rows of up to 8160 bytes, the most that a page can hold, keep all values inline.
 */
export async function createPartition(tx: Tx, month: number): Promise<void> {
  const table = sql.table(partitionName(month))
  const from = sql.lit(firstDay(month))
  const to = sql.lit(firstDay(month + 1))
  await sql`create table ${table} (like clicks including storage)
    with (toast_tuple_target = 8160)`.execute(tx)
  if (await isDistributed(tx)) await identifyRows(tx, [partitionName(month)])
  await sql`alter table clicks attach partition ${table} for values from (${from}) to (${to})`.execute(
    tx,
  )
}

/** Drops a partition. Waits only briefly for transactions that use it. */
export async function dropPartition(tx: Tx, month: number): Promise<void> {
  await sql`set local lock_timeout = '1s'`.execute(tx)
  await sql`drop table if exists ${sql.table(partitionName(month))}`.execute(tx)
}

/** Returns the months that have a partition, oldest first. */
export async function listPartitions(db: Db): Promise<number[]> {
  const { rows } = await sql<{ name: string }>`
    select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'clicks'::regclass and c.relname ~ '^clicks_\\d{4}_\\d{2}$' order by 1
  `.execute(db)
  return rows.map(({ name }) => partitionMonth(name))
}
