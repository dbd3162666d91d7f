import { type Selectable, sql } from 'kysely'
import { byteaArray, dateArray, filterByteaArray, int8Array } from '../../db/pg-binary.ts'
import type { AccountDays } from '../../db/tables.generated.ts'
import type { Tx } from '../../db/transaction.ts'
import { addCounts, keepLargest } from '../encoding/label-counts.ts'
import { firstIndex, type StoredValues, splitJoinedRows } from '../encoding/stored-values.ts'
import { joinedHeaders, joinedValues } from '../storage/joined-rows.queries.ts'
import type { AccountEntry } from './account-entries.ts'
import type { Merged } from './merge.ts'

/** A column of rows: numbers, or a PostgreSQL array of byte strings. */
type Column = Float64Array | Uint32Array | Buffer

/** A day of an account (in days since 1970) and the amounts to add to its counts. */
type AccountDay = { account: number; day: number; clicks: number; visitors: number }

/** The packed values stored for an account's day. */
type PackedDay = Pick<Selectable<AccountDays>, 'hours' | 'labels' | 'links'>

/**
 * The limits of the list of links stored per account and day. A list of more than `max` links is
 * reduced to the `size` most clicked ones.
 */
const ACCOUNT_LINKS = { size: 200, max: 400 }

/**
 * Returns the stored values of days of links. Row `i` is the day `days[i]` (since 1970) of the link
 * `links[i]`. The rows must be in ascending order.
 */
export async function readDays(
  tx: Tx,
  links: Float64Array,
  days: Uint32Array,
): Promise<{ dayHours: StoredValues; dayLabels: StoredValues; areDaysStored: Uint8Array }> {
  // Reads every one of these days for every link, because there is usually only one day.
  const row = await tx
    .selectFrom('click_days')
    .where('link_id', '=', sql<number>`any(${int8Array(links)}::bigint[])`)
    .where('day', '=', sql<string>`any(${dateArray([...new Set(days)])}::date[])`)
    .select([
      joinedHeaders('link_id', 'length(hours)', 'length(labels)', `day - '1970-01-01'`).as('heads'),
      joinedValues('hours').as('hours'),
      joinedValues('labels').as('labels'),
    ])
    .executeTakeFirstOrThrow()
  const { values, isStored } = splitJoinedRows(
    row.heads,
    [row.hours, row.labels],
    links.length,
    (link, day) => {
      let index = firstIndex(links, link)
      while (links[index] === link && (days[index] as number) < day) index += 1
      return links[index] === link && days[index] === day ? index : -1
    },
  )
  return { dayHours: values[0], dayLabels: values[1], areDaysStored: isStored }
}

/**
 * Stores the merged days of links, in primary key order. Callers hold the row locks of the links'
 * totals, so nothing changes between reading and writing. Inserts new rows without ON CONFLICT,
 * which would double their cost.
 */
export async function writeDays(tx: Tx, days: Merged['days']): Promise<void> {
  const { fresh, stored } = splitRows(days)
  if (fresh.links.length > 0) await storeDays(tx, fresh, { mayConflict: false })
  if (stored.links.length > 0) await storeDays(tx, stored, { mayConflict: true })
}

async function storeDays(
  tx: Tx,
  { links, days, clicks, visitors, hours, labels }: Omit<Merged['days'], 'isStored'>,
  { mayConflict }: { mayConflict: boolean },
): Promise<void> {
  await tx
    .insertInto('click_days')
    .columns(['link_id', 'day', 'clicks', 'visitors', 'hours', 'labels'])
    .expression(
      sql`select * from unnest(${int8Array(links)}::bigint[], ${dateArray(days)}::date[],
        ${int8Array(clicks)}::bigint[], ${int8Array(visitors)}::bigint[], ${hours}::bytea[],
        ${labels}::bytea[])`,
    )
    .$if(mayConflict, (query) =>
      query.onConflict((conflict) =>
        conflict.columns(['link_id', 'day']).doUpdateSet(({ eb, ref }) => ({
          clicks: eb('click_days.clicks', '+', ref('excluded.clicks')),
          visitors: eb('click_days.visitors', '+', ref('excluded.visitors')),
          hours: ref('excluded.hours'),
          labels: ref('excluded.labels'),
        })),
      ),
    )
    .execute()
}

/**
 * Adds counts to the days of accounts. Must be the last step of an import's transaction, because it
 * blocks other imports that update the same account.
 */
export function addAccountDays(
  tx: Tx,
  entries: readonly AccountEntry[],
  other: number,
): Promise<void> {
  return updateAccountDays(tx, entries, (stored, index) => {
    const { hours, labels, links } = entries[index] as AccountEntry
    return {
      hours: addCounts(stored.hours, hours, other),
      labels: addCounts(stored.labels, labels, other),
      links: keepLargest(stored.links, links, ACCOUNT_LINKS),
    }
  })
}

/**
 * Updates days of accounts, which must be in primary key order. Concurrent writers may update the
 * same row, so each row is created and locked before it is read. `merge` receives the stored values
 * and the index in `days`, and returns the values to store.
 */
async function updateAccountDays(
  tx: Tx,
  days: readonly AccountDay[],
  merge: (stored: PackedDay, index: number) => PackedDay,
): Promise<void> {
  if (days.length === 0) return
  const accounts = int8Array(days.map(({ account }) => account))
  const dates = dateArray(days.map(({ day }) => day))
  const clicks = int8Array(days.map((row) => row.clicks))
  const visitors = int8Array(days.map((row) => row.visitors))
  await tx
    .insertInto('account_days')
    .columns(['account_id', 'day', 'clicks', 'visitors', 'hours', 'labels', 'links'])
    .expression(
      sql`select *, '', '', '' from unnest(${accounts}::bigint[], ${dates}::date[],
        ${clicks}::bigint[], ${visitors}::bigint[])`,
    )
    .onConflict((conflict) =>
      conflict.columns(['account_id', 'day']).doUpdateSet(({ eb, ref }) => ({
        clicks: eb('account_days.clicks', '+', ref('excluded.clicks')),
        visitors: eb('account_days.visitors', '+', ref('excluded.visitors')),
      })),
    )
    .execute()
  const requested = sql<{ account_id: number; day: string; position: number }>`
    unnest(${accounts}::bigint[], ${dates}::date[]) with ordinality`.as<'n'>(
    sql`n (account_id, day, position)`,
  )
  const stored = await tx
    .selectFrom(requested)
    .innerJoin('account_days as a', (join) =>
      join.onRef('a.account_id', '=', 'n.account_id').onRef('a.day', '=', 'n.day'),
    )
    .select(['a.hours', 'a.labels', 'a.links'])
    .orderBy('n.position')
    .execute()
  const merged = stored.map(merge)
  const hours = byteaArray(merged.map((row) => row.hours))
  const labels = byteaArray(merged.map((row) => row.labels))
  const links = byteaArray(merged.map((row) => row.links))
  const changes = sql<PackedDay & { account_id: number; day: string }>`
    unnest(${accounts}::bigint[], ${dates}::date[], ${hours}::bytea[], ${labels}::bytea[],
      ${links}::bytea[])`.as<'n'>(sql`n (account_id, day, hours, labels, links)`)
  await tx
    .updateTable('account_days as a')
    .from(changes)
    .set(({ ref }) => ({
      hours: ref('n.hours'),
      labels: ref('n.labels'),
      links: ref('n.links'),
    }))
    .whereRef('a.account_id', '=', 'n.account_id')
    .whereRef('a.day', '=', 'n.day')
    .execute()
}

/** Splits rows into new ones and those that are stored. `isStored` is 1 for the latter. */
export function splitRows<Rows extends { isStored: Uint8Array }>(rows: Rows) {
  return { fresh: filterRows(rows, 0), stored: filterRows(rows, 1) }
}

function filterRows<Rows extends { isStored: Uint8Array }>(
  { isStored, ...columns }: Rows,
  value: 0 | 1,
): Omit<Rows, 'isStored'> {
  if (!isStored.includes(1 - value)) return columns
  const isIncluded = (index: number) => isStored[index] === value
  const entries = Object.entries(columns as Record<string, Column>).map(([name, column]) => [
    name,
    Buffer.isBuffer(column)
      ? filterByteaArray(column, isIncluded)
      : column.filter((_, index) => isIncluded(index)),
  ])
  return Object.fromEntries(entries)
}
