import { sql } from 'kysely'
import type { Db } from '../../db/pool.ts'

/**
 * Tables whose rows belong to one link. Their keys start with the link, and no foreign key
 * references them. Apart from `ACCOUNT_TABLES`, all other tables stay on the coordinator, including
 * the totals of links. Links can therefore be listed, changed and deleted while a worker node is
 * down.
 */
export const DISTRIBUTED_TABLES = [
  'click_days',
  'click_details',
  'click_visitors',
  'clicks',
  'click_imports',
  'uncounted_days',
] as const

/** Tables whose rows belong to one account. Their keys start with the account. */
export const ACCOUNT_TABLES = ['account_days', 'account_uncounted_days'] as const

export type DistributedTable = (typeof DISTRIBUTED_TABLES | typeof ACCOUNT_TABLES)[number]

/**
 * Returns whether the database has the Citus extension, and whether it has this program's schema.
 */
export async function readClusterState(db: Db): Promise<{ citus: boolean; schema: boolean }> {
  const { rows } = await sql<{ citus: boolean; schema: boolean }>`
    select exists (select from pg_extension where extname = 'citus') as citus,
           to_regclass('clicks') is not null as schema`.execute(db)
  return rows[0] ?? { citus: false, schema: false }
}

/** Returns whether the cluster has worker nodes. */
export async function hasWorkerNodes(db: Db): Promise<boolean> {
  const { rows } = await sql`
    select from pg_dist_node where isactive and shouldhaveshards limit 1`.execute(db)
  return rows.length > 0
}

/** Returns whether raw clicks are distributed. */
export async function isDistributed(db: Db): Promise<boolean> {
  const { rows } = await sql<{ cluster: boolean }>`
    select to_regclass('pg_dist_partition') is not null as cluster`.execute(db)
  return rows[0]?.cluster === true && (await listDistributed(db)).has('clicks')
}

/** Returns the distributed tables. */
export async function listDistributed(db: Db): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ name: string }>`
    select logicalrelid::text as name from pg_dist_partition
    where partmethod = 'h' -- distributed by hash`.execute(db)
  return new Set(rows.map(({ name }) => name))
}

/**
 * Distributes one table and copies its rows to the worker nodes.
 * https://docs.citusdata.com/en/stable/develop/api_udf.html
 */
export async function distributeTable(db: Db, table: DistributedTable): Promise<void> {
  const [first] = DISTRIBUTED_TABLES
  const isAccountTable = ACCOUNT_TABLES.some((name) => name === table)
  const column = isAccountTable ? 'account_id' : 'link_id'
  // All tables of links are placed like the first one, so that a link's rows are on one machine.
  const companion = isAccountTable || table === first ? 'none' : first
  const parts = [sql.lit(table), sql.lit(column)]
  await sql`
    select create_distributed_table(${sql.join(parts)}, colocate_with => ${sql.lit(companion)})
  `.execute(db)
}

/** Releases the space on the coordinator that a distributed table still uses. */
export async function releaseLocalSpace(db: Db, table: DistributedTable): Promise<void> {
  await sql`select truncate_local_data_after_distributing_table(${sql.lit(table)})`.execute(db)
}
