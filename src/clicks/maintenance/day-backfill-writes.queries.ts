import { sql } from 'kysely'
import type { Tx } from '../../db/transaction.ts'
import { addCounts, countsOf, keepLargest, OTHER, unpackInto } from '../encoding/label-counts.ts'
import { byteaArray, dateArray, int8Array } from '../encoding/pg-binary.ts'
import { ACCOUNT_LINKS, changeAccountDays } from '../import/account-days.queries.ts'
import type { CompleteDay } from './complete-days.ts'

type CompletedLink = { link: number; account: number; days: readonly CompleteDay[] }

/** The number of the label for what is not kept apart. */
export async function otherLabel(tx: Tx): Promise<number> {
  const row = await tx
    .insertInto('labels')
    .values({ name: OTHER })
    .onConflict((conflict) =>
      conflict.column('name').doUpdateSet(({ ref }) => ({ name: ref('excluded.name') })),
    )
    .returning('id')
    .executeTakeFirstOrThrow()
  return row.id
}

/** Writes what is known of each day; a day that is known no better keeps its labels and hours. */
export async function writeLinkDays(
  tx: Tx,
  links: readonly CompletedLink[],
  other: number,
): Promise<void> {
  const rows = links.flatMap(({ link, days }) => days.map((day) => ({ link, ...day })))
  const pack = (counts: ReadonlyMap<number, number> | undefined) =>
    counts ? addCounts(undefined, countsOf(counts), other) : Buffer.alloc(0)
  const ids = int8Array(rows.map(({ link }) => link))
  const dates = dateArray(rows.map(({ day }) => day))
  const visitors = int8Array(rows.map((row) => row.visitors))
  const hours = byteaArray(rows.map((row) => pack(row.hours)))
  const labels = byteaArray(rows.map((row) => pack(row.labels)))
  const changes = sql<Changes>`
    (select link_id, day, visitors, nullif(hours, '') as hours, nullif(labels, '') as labels
     from unnest(${ids}::bigint[], ${dates}::date[], ${visitors}::bigint[], ${hours}::bytea[],
       ${labels}::bytea[]) u (link_id, day, visitors, hours, labels))`.as<'n'>(sql`n`)
  await tx
    .updateTable('click_days as d')
    .from(changes)
    .set(({ fn, ref }) => ({
      visitors: ref('n.visitors'),
      hours: fn.coalesce('n.hours', 'd.hours'),
      labels: fn.coalesce('n.labels', 'd.labels'),
    }))
    .whereRef('d.link_id', '=', 'n.link_id')
    .whereRef('d.day', '=', 'n.day')
    .execute()
}

type Changes = {
  link_id: number
  day: string
  visitors: number
  hours: Buffer | null
  labels: Buffer | null
}

type Missing = CompleteDay['missing'] & { account: number; day: number; links: Map<number, number> }

/** Adds to the days of accounts what the days of their links have more than was counted there. */
export async function addMissingToAccounts(
  tx: Tx,
  links: readonly CompletedLink[],
  other: number,
): Promise<void> {
  const rows = sumByAccount(links)
  await changeAccountDays(tx, rows, (stored, index) => {
    const { hours, labels, links: clicked } = rows[index] as Missing
    return {
      hours: changed(stored.hours, hours, other),
      labels: changed(stored.labels, labels, other),
      links: keepLargest(stored.links, countsOf(clicked), ACCOUNT_LINKS),
    }
  })
}

/** By account and day, in the order in which imports lock these rows. */
function sumByAccount(links: readonly CompletedLink[]): Missing[] {
  const sums = new Map<string, Missing>()
  for (const { link, account, days } of links) {
    for (const { day, missing } of days) {
      const known = sums.get(`${account} ${day}`)
      const own = known ?? {
        ...{ account, day, clicks: 0, visitors: 0 },
        ...{ hours: new Map(), labels: new Map(), links: new Map() },
      }
      if (!known) sums.set(`${account} ${day}`, own)
      own.clicks += missing.clicks
      own.visitors += missing.visitors
      for (const [hour, count] of missing.hours) add(own.hours, hour, count)
      for (const [key, count] of missing.labels) add(own.labels, key, count)
      if (missing.clicks > 0) add(own.links, link, missing.clicks)
    }
  }
  return [...sums.values()].sort((a, b) => a.account - b.account || a.day - b.day)
}

/** Packed counts with differences, of either sign, added to them. */
function changed(packed: Buffer, differences: ReadonlyMap<number, number>, other: number): Buffer {
  const sums = new Map<number, number>()
  unpackInto(packed, sums)
  for (const [key, count] of differences) add(sums, key, count)
  return addCounts(undefined, countsOf(new Map([...sums].filter(([, count]) => count > 0))), other)
}

function add(sums: Map<number, number>, key: number, count: number): void {
  sums.set(key, (sums.get(key) ?? 0) + count)
}
