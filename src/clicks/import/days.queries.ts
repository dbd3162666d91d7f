import { sql } from 'kysely'
import type { Tx } from '../../db/transaction.ts'
import { addCounts, keepLargest } from '../encoding/label-counts.ts'
import { byteaArray, dateArray, int8Array } from '../encoding/pg-binary.ts'
import { ACCOUNT_LINKS, changeAccountDays } from './account-days.queries.ts'
import type { AccountEntry } from './account-entries.ts'
import type { DayEntry } from './day-entries.ts'

/** Days of which one part is worked out before others get their turn. */
const SLICE = 2000

type Packed = { hours: Buffer | null; labels: Buffer | null }

/**
 * Adds to the days of links: reads what there is, adds to it and writes it back. Whoever changes a
 * link's days holds the row of its totals, so nobody comes between. Entries come in the order of the
 * table's key.
 */
export async function addLinkDays(
  tx: Tx,
  entries: readonly DayEntry[],
  other: number,
  pause: () => Promise<void>,
): Promise<void> {
  if (entries.length === 0) return
  const links = int8Array(entries.map(({ owner }) => owner))
  const dates = dateArray(entries.map(({ day }) => day))
  const stored = await readDays(tx, links, dates)
  const packed: { hours: Buffer[]; labels: Buffer[] } = { hours: [], labels: [] }
  for (const [index, { hours, labels }] of entries.entries()) {
    if (index % SLICE === SLICE - 1) await pause()
    const before = stored.get(index)
    packed.hours.push(addCounts(before?.hours ?? undefined, hours, other))
    packed.labels.push(addCounts(before?.labels ?? undefined, labels, other))
  }
  const clicks = int8Array(entries.map((entry) => entry.clicks))
  const visitors = int8Array(entries.map((entry) => entry.visitors))
  await tx
    .insertInto('click_days')
    .columns(['link_id', 'day', 'clicks', 'visitors', 'hours', 'labels'])
    .expression(
      sql`select * from unnest(${links}::bigint[], ${dates}::date[], ${clicks}::bigint[],
        ${visitors}::bigint[], ${byteaArray(packed.hours)}::bytea[],
        ${byteaArray(packed.labels)}::bytea[])`,
    )
    .onConflict((conflict) =>
      conflict.columns(['link_id', 'day']).doUpdateSet(({ eb, fn, ref, val }) => ({
        clicks: eb('click_days.clicks', '+', ref('excluded.clicks')),
        visitors: eb(
          fn.coalesce('click_days.visitors', val(0)),
          '+',
          fn.coalesce('excluded.visitors', val(0)),
        ),
        hours: ref('excluded.hours'),
        labels: ref('excluded.labels'),
      })),
    )
    .execute()
}

/** What is stored of the days, by their position in the list. */
async function readDays(
  tx: Tx,
  links: Buffer,
  dates: Buffer,
): Promise<ReadonlyMap<number, Packed>> {
  const wanted = sql<{ link_id: number; day: string; position: number }>`
    unnest(${links}::bigint[], ${dates}::date[]) with ordinality`.as<'n'>(
    sql`n (link_id, day, position)`,
  )
  const rows = await tx
    .selectFrom(wanted)
    .innerJoin('click_days as d', (join) =>
      join.onRef('d.link_id', '=', 'n.link_id').onRef('d.day', '=', 'n.day'),
    )
    .select(['n.position', 'd.hours', 'd.labels'])
    .execute()
  return new Map(rows.map(({ position, ...row }) => [position - 1, row]))
}

/** The same for the days of accounts: the last thing in an import's transaction. */
export function addAccountDays(
  tx: Tx,
  entries: readonly AccountEntry[],
  other: number,
): Promise<void> {
  const days = entries.map(({ owner, ...entry }) => ({ account: owner, ...entry }))
  return changeAccountDays(tx, days, (stored, index) => {
    const { hours, labels, links } = entries[index] as AccountEntry
    return {
      hours: addCounts(stored.hours, hours, other),
      labels: addCounts(stored.labels, labels, other),
      links: keepLargest(stored.links, links, ACCOUNT_LINKS),
    }
  })
}
