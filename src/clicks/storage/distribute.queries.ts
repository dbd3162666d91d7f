import { sql } from 'kysely'
import type { Db } from '../../db/pool.ts'

/**
 * The tables whose rows belong to one link each: every key in them begins with the link, and no
 * foreign key touches them. Everything else stays on the coordinator, also the totals of links, so that
 * links can be listed, changed and deleted without asking a worker.
 */
export const SPREAD_TABLES = [
  'click_days',
  'click_details',
  'click_visitors',
  'clicks',
  'click_imports',
] as const

/** The days of accounts, which begin with the account. */
export const ACCOUNT_TABLES = ['account_days'] as const

export type SpreadTable = (typeof SPREAD_TABLES | typeof ACCOUNT_TABLES)[number]

/** Whether the database has the Citus extension, and a schema of this program. */
export async function findCluster(db: Db): Promise<{ citus: boolean; schema: boolean }> {
  const { rows } = await sql<{ citus: boolean; schema: boolean }>`
    select exists (select from pg_extension where extname = 'citus') as citus,
           to_regclass('clicks') is not null as schema`.execute(db)
  return rows[0] ?? { citus: false, schema: false }
}

/** Whether the cluster has machines that take rows. */
export async function hasNodes(db: Db): Promise<boolean> {
  const { rows } = await sql`
    select from pg_dist_node where isactive and shouldhaveshards limit 1`.execute(db)
  return rows.length > 0
}

/** Whether raw clicks are spread over the machines of a cluster. */
export async function isSpread(db: Db): Promise<boolean> {
  const { rows } = await sql<{ cluster: boolean }>`
    select to_regclass('pg_dist_partition') is not null as cluster`.execute(db)
  return rows[0]?.cluster === true && (await listSpread(db)).has('clicks')
}

/** The tables that are spread by a column. */
export async function listSpread(db: Db): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ name: string }>`
    select logicalrelid::text as name from pg_dist_partition where partmethod = 'h'`.execute(db)
  return new Set(rows.map(({ name }) => name))
}

/**
 * What spreads one table: its rows are copied to the machines.
 * https://docs.citusdata.com/en/stable/develop/api_udf.html
 */
export async function spreadTable(db: Db, table: SpreadTable): Promise<void> {
  const [first] = SPREAD_TABLES
  const isOfAccounts = ACCOUNT_TABLES.some((name) => name === table)
  const column = isOfAccounts ? 'account_id' : 'link_id'
  const companion = isOfAccounts || table === first ? 'none' : first
  const parts = [sql.lit(table), sql.lit(column)]
  await sql`
    select create_distributed_table(${sql.join(parts)}, colocate_with => ${sql.lit(companion)})
  `.execute(db)
}

/** Frees the place that the rows of a spread table still take on the coordinator, if any. */
export async function freeTable(db: Db, table: SpreadTable): Promise<void> {
  await sql`select truncate_local_data_after_distributing_table(${sql.lit(table)})`.execute(db)
}
