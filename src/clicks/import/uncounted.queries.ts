import { sql } from 'kysely'
import { dateArray, int8Array } from '../../db/pg-binary.ts'
import type { Tx } from '../../db/transaction.ts'
import {
  createUncountedVisits,
  eachStored,
  type StoredVisits,
} from '../encoding/uncounted-visits.ts'
import { createUncountedDays, type UncountedDay } from './uncounted-days.ts'

/** A table of daily visits that do not count, its owners, and the names stored per owner and day. */
const LINK_DAYS = { table: 'uncounted_days', owner: 'link_id', maxNames: 50 } as const
const ACCOUNT_DAYS = {
  table: 'account_uncounted_days',
  owner: 'account_id',
  maxNames: 200,
} as const

type Target = typeof LINK_DAYS | typeof ACCOUNT_DAYS

/** The number of days that are read and written together. */
const CHUNK = 2000

/**
 * Adds visits that do not count to the days of their links. The caller must have updated the links'
 * totals. It therefore holds their row locks, and no other importer can interfere.
 */
export function addUncountedDays(tx: Tx, days: readonly UncountedDay[]): Promise<void> {
  return addDays(tx, LINK_DAYS, days)
}

/**
 * Adds visits that do not count to the days of accounts. Concurrent importers may update the same
 * row, so each row is created and locked before it is read.
 */
export async function addAccountUncountedDays(
  tx: Tx,
  days: readonly UncountedDay[],
  accountOf: ReadonlyMap<number, number>,
): Promise<void> {
  const accounts = createUncountedDays()
  for (const day of days) {
    const owner = accountOf.get(day.owner)
    if (owner !== undefined) accounts.addDay({ ...day, owner })
  }
  await addDays(tx, ACCOUNT_DAYS, accounts.entries())
}

async function addDays(tx: Tx, target: Target, days: readonly UncountedDay[]): Promise<void> {
  for (let start = 0; start < days.length; start += CHUNK) {
    const chunk = days.slice(start, start + CHUNK)
    if (target === ACCOUNT_DAYS) await lockDays(tx, target, chunk)
    const stored = await readDays(tx, target, chunk)
    const merged = chunk.map(({ owner, day, visits }) => {
      const sum = createUncountedVisits(target.maxNames)
      eachStored(stored.get(`${owner} ${day}`) ?? {}, sum.add)
      sum.addAll(visits)
      return sum.format()
    })
    await writeDays(tx, target, chunk, merged)
  }
}

async function lockDays(
  tx: Tx,
  { table, owner }: Target,
  days: readonly UncountedDay[],
): Promise<void> {
  await sql`
    insert into ${sql.table(table)} (${sql.ref(owner)}, day, visits)
    select *, '{}'::jsonb from unnest(${toOwners(days)}::bigint[], ${toDates(days)}::date[])
    on conflict (${sql.ref(owner)}, day) do update set visits = ${sql.table(table)}.visits
  `.execute(tx)
}

async function readDays(
  tx: Tx,
  { table, owner }: Target,
  days: readonly UncountedDay[],
): Promise<ReadonlyMap<string, StoredVisits>> {
  // Reads every one of these days for every owner, because there is usually only one day.
  const dates = dateArray([...new Set(days.map(({ day }) => day))])
  const { rows } = await sql<{ owner: number; day: number; visits: StoredVisits }>`
    select ${sql.ref(owner)} as owner, day - date '1970-01-01' as day, visits
    from ${sql.table(table)}
    where ${sql.ref(owner)} = any(${toOwners(days)}::bigint[]) and day = any(${dates}::date[])
  `.execute(tx)
  return new Map(rows.map((row) => [`${row.owner} ${row.day}`, row.visits]))
}

async function writeDays(
  tx: Tx,
  { table, owner }: Target,
  days: readonly UncountedDay[],
  visits: readonly string[],
): Promise<void> {
  await sql`
    insert into ${sql.table(table)} (${sql.ref(owner)}, day, visits)
    select * from unnest(
      ${toOwners(days)}::bigint[], ${toDates(days)}::date[], ${visits}::jsonb[])
    on conflict (${sql.ref(owner)}, day) do update set visits = excluded.visits
  `.execute(tx)
}

function toOwners(days: readonly UncountedDay[]): Buffer {
  return int8Array(days.map(({ owner }) => owner))
}

function toDates(days: readonly UncountedDay[]): Buffer {
  return dateArray(days.map(({ day }) => day))
}
