import { type Selectable, sql } from 'kysely'
import { byteaArray, dateArray, int8Array } from '../../db/pg-binary.ts'
import type { AccountDayTable } from '../../db/schema/clicks.ts'
import type { Tx } from '../../db/transaction.ts'

/** A day of an account (in days since 1970) and the amounts to add to its counts. */
export type AccountDay = { account: number; day: number; clicks: number; visitors: number }

/** The packed values stored for an account's day. */
export type PackedDay = Pick<Selectable<AccountDayTable>, 'hours' | 'labels' | 'links'>

/**
 * The limits of the list of links stored per account and day. A list of more than `max` links is
 * reduced to the `size` most clicked ones.
 */
export const ACCOUNT_LINKS = { size: 200, max: 400 }

/**
 * Updates days of accounts, which must be in primary key order. Concurrent writers may update the
 * same row, so each row is created and locked before it is read. `merge` receives the stored values
 * and the index in `days`, and returns the values to store.
 */
export async function updateAccountDays(
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
