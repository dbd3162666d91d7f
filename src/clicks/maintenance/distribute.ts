import { withConnection } from '../../db/connection.ts'
import type { Db } from '../../db/pool.ts'
import {
  ACCOUNT_TABLES,
  DISTRIBUTED_TABLES,
  type DistributedTable,
  distributeTable,
  hasWorkerNodes,
  listDistributed,
  readClusterState,
  releaseLocalSpace,
} from '../storage/distribute.queries.ts'
import { partitionName } from '../storage/months.ts'
import { identifyRows, listPartitions } from '../storage/partitions.queries.ts'

/**
 * Distributes the tables of clicks over the machines of a Citus cluster. All rows of a link are
 * stored on one machine, and so are the days of an account. Safe to run again after an
 * interruption: for tables that are already distributed, only their space on the coordinator is
 * released. Returns the names of newly distributed tables.
 *
 * @throws Error if the database has no Citus extension, no worker nodes or no schema
 */
export async function distribute(databaseUrl: string): Promise<DistributedTable[]> {
  return withConnection({ url: databaseUrl, name: 'cluster' }, async ({ db }) => {
    await requireCluster(db)
    const done = await listDistributed(db)
    const pending = [...DISTRIBUTED_TABLES, ...ACCOUNT_TABLES].filter((table) => !done.has(table))
    await identifyRows(db, ['clicks', ...(await listPartitions(db)).map(partitionName)])
    for (const table of [...DISTRIBUTED_TABLES, ...ACCOUNT_TABLES]) {
      if (pending.includes(table)) await distributeTable(db, table)
      // Also needed for tables that are already distributed, if a previous run was interrupted
      // here.
      await releaseLocalSpace(db, table)
    }
    return pending
  })
}

async function requireCluster(db: Db): Promise<void> {
  const { citus, schema } = await readClusterState(db)
  if (!citus) {
    throw new Error('This database has no Citus extension, so its tables cannot be distributed.')
  }
  if (!schema) throw new Error('The database has no schema yet. Run npx brevis migrate.')
  if (!(await hasWorkerNodes(db))) {
    throw new Error('The cluster has no machines yet. Add them with citus_add_node.')
  }
}
