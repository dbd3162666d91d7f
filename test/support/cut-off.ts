import { inject } from 'vitest'
import { ACCOUNT_TABLES, DISTRIBUTED_TABLES } from '../../src/clicks/storage/distribute.queries.ts'
import type { TestApp } from './app.ts'
import { run } from './postgres.ts'

/** An account and some of its links. */
type Stored = { accountId: number; linkIds: readonly number[] }

export type ClickServers = {
  /**
   * Returns whether the clicks of these links are on the server that goes down, on those that stay
   * up, or on both (undefined).
   */
  serverOf(stored: Stored): Promise<'down' | 'up' | undefined>
  /** Makes every statement fail that accesses clicks on the server that goes down. */
  cutOff(): Promise<void>
  /** After `cutOff`, makes every statement fail that accesses any table of clicks. */
  cutOffAll(): Promise<void>
  /** Makes all statements work again. */
  restore(): Promise<void>
}

/**
 * Returns functions that simulate an outage of a server that stores an application's clicks. On a
 * cluster, the last worker node goes down. Without a cluster, the tables of clicks become views that
 * fail for some accounts.
 */
export function clickServersOf(app: TestApp): ClickServers {
  const workers = inject('workers')
  return workers.length > 0 ? workerNodes(app, workers) : failingViews(app)
}

/** Cuts off worker nodes: they refuse connections to this application's database. */
function workerNodes(app: TestApp, workers: readonly string[]): ClickServers {
  const { pool } = app.services.database
  const name = new URL(app.databaseUrl).pathname.slice(1)
  const [downWorker = ''] = workers.slice(-1)

  async function blockConnections(worker: string): Promise<void> {
    await run(worker, [
      `alter database ${name} with allow_connections false`,
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = '${name}' and backend_type = 'client backend'`,
    ])
  }

  return {
    async serverOf({ accountId, linkIds }) {
      const { rows } = await pool.query<{ place: 'down' | 'up' }>(
        `select distinct case nodeport when $3 then 'down' else 'up' end as place
         from (
           select get_shard_id_for_distribution_column('click_days', id) as shardid
             from unnest($1::bigint[]) id
           union select get_shard_id_for_distribution_column('account_days', $2::bigint)
         ) shards
         join pg_dist_placement using (shardid) join pg_dist_node using (groupid)`,
        [linkIds, accountId, Number(new URL(downWorker).port)],
      )
      return rows.length === 1 ? rows[0]?.place : undefined
    },
    cutOff: () => blockConnections(downWorker),
    async cutOffAll() {
      for (const worker of workers) await blockConnections(worker)
    },
    async restore() {
      for (const worker of workers) {
        await run(worker, [`alter database ${name} with allow_connections true`])
      }
    },
  }
}

/** Simulates two servers. The account that `serverOf` is called for first stays up, all others go down. */
function failingViews(app: TestApp): ClickServers {
  const { pool } = app.services.database
  const tables = [
    ...DISTRIBUTED_TABLES.map((table) => ({ table, check: 'is_up(link_id, null)' })),
    ...ACCOUNT_TABLES.map((table) => ({ table, check: 'is_up(null, account_id)' })),
  ]
  let up: number | undefined

  async function failIf(condition: string): Promise<void> {
    await pool.query(
      `create or replace function is_up(link bigint, account bigint) returns boolean
       language plpgsql as $$
       begin
         if ${condition} then
           raise exception 'connection to the remote node failed' using errcode = '08006';
         end if;
         return true;
       end $$`,
    )
  }

  return {
    async serverOf({ accountId }) {
      up ??= accountId
      return accountId === up ? 'up' : 'down'
    },
    async cutOff() {
      await failIf(
        `account <> ${up} or exists (select from links where id = link and account_id <> ${up})`,
      )
      for (const { table, check } of tables) {
        await pool.query(`alter table ${table} rename to all_${table}`)
        await pool.query(`create view ${table} as select * from all_${table} where ${check}`)
      }
    },
    async cutOffAll() {
      for (const { table } of tables) await pool.query(`drop view ${table}`)
    },
    async restore() {
      for (const { table } of tables) {
        await pool.query(`drop view if exists ${table}`)
        await pool.query(`alter table all_${table} rename to ${table}`)
      }
    },
  }
}
