import type pg from 'pg'
import { MAINTENANCE_LOCK } from '../../db/lock.ts'
import { inOwnTransaction } from '../import/own-transaction.ts'

const DAY = 86_400_000
/** Second half of MAINTENANCE_LOCK. */
const PARTITIONS = 2
const LOCK_NOT_AVAILABLE = '55P03'

/** The month in which a moment lies (UTC), counted from the year 0. */
export function monthOf(at: number): number {
  const date = new Date(at)
  return date.getUTCFullYear() * 12 + date.getUTCMonth()
}

/** The first month of which raw clicks are still kept. */
export function oldestMonth(now: Date, retentionDays: number): number {
  return monthOf(now.getTime() - retentionDays * DAY)
}

/** When a month begins. */
export function startOfMonth(month: number): number {
  return Date.UTC(Math.floor(month / 12), month % 12, 1)
}

/**
 * Makes the partitions that raw clicks of these months go to. A table is made first and attached
 * then, which lets others go on writing meanwhile.
 */
export async function createPartitions(pool: pg.Pool, months: Iterable<number>): Promise<void> {
  await inOwnTransaction(pool, (client) => addPartitions(client, months))
}

/** The same within the caller's transaction. */
export async function addPartitions(
  client: pg.ClientBase,
  months: Iterable<number>,
): Promise<void> {
  const wanted = [...months].sort((a, b) => a - b)
  await client.query('select pg_advisory_xact_lock($1, $2)', [MAINTENANCE_LOCK, PARTITIONS])
  const present = new Set(await listPartitions(client))
  for (const month of wanted) if (!present.has(month)) await createPartition(client, month)
}

async function createPartition(client: pg.ClientBase, month: number): Promise<void> {
  const name = nameOf(month)
  await client.query(`create table ${name} (like clicks including defaults)`)
  await client.query(
    `alter table clicks attach partition ${name}
     for values from ('${firstDay(month)}') to ('${firstDay(month + 1)}')`,
  )
}

/**
 * Drops the raw clicks of whole months before `oldest`, one at a time; gives how many were dropped
 * and left.
 * Waits only briefly for writers: what cannot be dropped now is dropped the next time.
 */
export async function dropPartitions(
  pool: pg.Pool,
  oldest: number,
): Promise<{ dropped: number; left: number }> {
  let dropped = 0
  const old = (await listPartitions(pool)).filter((month) => month < oldest)
  for (const month of old) {
    try {
      await inOwnTransaction(pool, async (client) => {
        await client.query(`set local lock_timeout = '1s'`)
        await client.query(`drop table if exists ${nameOf(month)}`)
      })
      dropped += 1
    } catch (error) {
      if ((error as { code?: string }).code !== LOCK_NOT_AVAILABLE) throw error
    }
  }
  return { dropped, left: old.length - dropped }
}

/** The months that have a partition, oldest first. */
export async function listPartitions(
  client: Pick<pg.Pool, 'query'> | pg.ClientBase,
): Promise<number[]> {
  const { rows } = await client.query<{ name: string }>(
    `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = 'clicks'::regclass and c.relname ~ '^clicks_\\d{4}_\\d{2}$' order by 1`,
  )
  return rows.map(({ name }) => Number(name.slice(7, 11)) * 12 + Number(name.slice(12)) - 1)
}

export function nameOf(month: number): string {
  return `clicks_${firstDay(month).slice(0, 7).replace('-', '_')}`
}

function firstDay(month: number): string {
  return new Date(startOfMonth(month)).toISOString().slice(0, 10)
}
