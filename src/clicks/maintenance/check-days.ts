import { sql } from 'kysely'
import { own, unscoped } from '../../db/account-rows.ts'
import { int8Array } from '../../db/pg-binary.ts'
import type { Db } from '../../db/pool.ts'
import type { AccountScope } from '../../scope.ts'
import { sumsByKind } from '../encoding/label-counts.ts'
import { listedKinds } from '../encoding/label-kinds.ts'
import { eachCount, NEW_VISITORS_OFFSET } from '../encoding/packed-counts.ts'
import { joinedNumbers, splitColumns } from '../storage/joined-rows.queries.ts'
import type { StoredDays } from './check.queries.ts'

const ACCOUNT_BATCH = 2000

const LINK_BATCH = 10_000

const ID_COLUMN = { id: 'id' }

/** A number in the daily statistics that differs from its expected value. */
export type DayDiscrepancy = { check: string; expected: number; found: number } & (
  | { linkId: number; accountId?: never }
  | { accountId: number; linkId?: never }
)

/** The slice of bytes that contains one packed value. */
type Slice = { bytes: Uint8Array; from: number; to: number }

type Day = {
  clicks: number
  visitors: number
  hours: Slice
  labels: Slice
}

const MS_PER_DAY = 86_400_000

/**
 * For every day of the links in a range, compares the labels and hours with the day's clicks, and
 * yields the differences. Skips links in `removed`.
 */
export function* compareDays(
  days: StoredDays,
  removed: ReadonlySet<number>,
): Generator<DayDiscrepancy, void> {
  let hoursEnd = 0
  let labelsEnd = 0
  // Uses a plain loop, because iterators and generators per day would cost more than the recount.
  for (let row = 0; row < days.link.length; row += 1) {
    const linkId = days.link[row] as number
    const hours = slice(days.hours, hoursEnd, days.hourBytes[row] as number)
    const labels = slice(days.labels, labelsEnd, days.labelBytes[row] as number)
    hoursEnd = hours.to
    labelsEnd = labels.to
    if (removed.has(linkId)) continue
    const clicks = days.clicks[row] as number
    const visitors = days.visitors[row] as number
    for (const { check, ...numbers } of findDifferences({ clicks, visitors, hours, labels })) {
      yield { linkId, check: `${check} on ${formatDay(days.day[row] as number)}`, ...numbers }
    }
  }
}

/** Returns the slice with a given length that starts at an offset. */
function slice(bytes: Uint8Array, from: number, length: number): Slice {
  return { bytes, from, to: from + length }
}

function formatDay(day: number): string {
  return new Date(day * MS_PER_DAY).toISOString().slice(0, 10)
}

/**
 * Compares the days of each account with the sum of its links, and their labels and hours with
 * their clicks. Yields the differences. The sum of the links may be smaller, because links may have
 * been deleted.
 */
export async function* checkAccountDays(db: Db): AsyncGenerator<DayDiscrepancy, void> {
  for await (const accountId of iterateAccountIds(db)) {
    // Reads the links first, so that a concurrent import can only make the account's numbers
    // larger, which is not reported.
    const linkDays = await sumLinkDays({ db, accountId })
    for (const { day, ...row } of await readAccountDays({ db, accountId })) {
      const links = linkDays.get(day) ?? { clicks: 0, visitors: 0 }
      linkDays.delete(day)
      for (const name of ['clicks', 'visitors'] as const) {
        if (row[name] >= links[name]) continue
        const check = `${name} of the account on ${day}`
        yield { accountId, check, expected: links[name], found: row[name] }
      }
      const hours = fullSlice(row.hours)
      const labels = fullSlice(row.labels)
      for (const { check, ...numbers } of findDifferences({ ...row, hours, labels })) {
        yield { accountId, check: `${check} on ${day}`, ...numbers }
      }
    }
    for (const [day, { clicks }] of linkDays) {
      yield { accountId, check: `clicks of the account on ${day}`, expected: clicks, found: 0 }
    }
  }
}

function fullSlice(bytes: Uint8Array): Slice {
  return { bytes, from: 0, to: bytes.length }
}

type Difference = { check: string; expected: number; found: number }

const NO_DIFFERENCES: readonly Difference[] = []

/**
 * Compares the labels and hours of a day with its clicks and visitors. Every click has one label of
 * each kind that is not partial, and every new visitor has an hour.
 */
function findDifferences({ clicks, visitors, hours, labels }: Day): readonly Difference[] {
  let differences = NO_DIFFERENCES
  const expectEqual = (check: string, expected: number, found: number) => {
    if (expected !== found) differences = [...differences, { check, expected, found }]
  }
  const sums = sumsByKind(labels.bytes, labels.from, labels.to)
  for (const { list, number, isPartial } of listedKinds) {
    if (!isPartial) expectEqual(`sum of ${list}`, clicks, sums[number] ?? 0)
  }
  let hourlyClicks = 0
  let hourlyVisitors = 0
  const add = (hour: number, count: number) => {
    if (hour < NEW_VISITORS_OFFSET) hourlyClicks += count
    else hourlyVisitors += count
  }
  eachCount(hours.bytes, add, hours.from, hours.to)
  expectEqual('sum of hours', clicks, hourlyClicks)
  expectEqual('new visitors by hour', visitors, hourlyVisitors)
  return differences
}

/** Yields all account ids, reading one page at a time. */
async function* iterateAccountIds(db: Db): AsyncGenerator<number, void> {
  for (let last = 0; ; ) {
    const rows = await db
      .selectFrom('accounts')
      .select('id')
      .where('id', '>', last)
      .orderBy('id')
      .limit(ACCOUNT_BATCH)
      .execute()
    if (rows.length === 0) return
    for (const { id } of rows) yield id
    last = rows.at(-1)?.id ?? last
  }
}

/** Returns the stored values of all days of an account, oldest first. */
function readAccountDays(scope: AccountScope) {
  return own(scope)
    .selectFrom('account_days')
    .select(['clicks', 'visitors', 'hours', 'labels'])
    .select(sql<string>`day::text`.as('day'))
    .orderBy('day')
    .execute()
}

/** Returns the clicks and new visitors of an account's existing links, by day. */
async function sumLinkDays(
  scope: AccountScope,
): Promise<Map<string, { clicks: number; visitors: number }>> {
  const days = new Map<string, { clicks: number; visitors: number }>()
  for (let last = 0; ; ) {
    const links = await listLinkIds(scope, last)
    if (links.length === 0) return days
    last = links.at(-1) ?? last
    const rows = await unscoped(scope)
      .selectFrom('click_days')
      .select(({ fn }) => [
        fn.sum<string>('clicks').as('clicks'),
        fn.sum<string>('visitors').as('visitors'),
      ])
      .select(sql<string>`day::text`.as('day'))
      .where('link_id', '=', sql<number>`any(${int8Array(links)}::bigint[])`)
      .groupBy('day')
      .execute()
    for (const { day, clicks, visitors } of rows) {
      const sum = days.get(day) ?? { clicks: 0, visitors: 0 }
      days.set(day, {
        clicks: sum.clicks + Number(clicks),
        visitors: sum.visitors + Number(visitors ?? 0),
      })
    }
  }
}

/** Returns the ids of an account's next links after an id. */
async function listLinkIds(scope: AccountScope, after: number): Promise<Float64Array> {
  const row = await unscoped(scope)
    .selectFrom((own) =>
      own
        .selectFrom('links')
        .select('id')
        .where('account_id', '=', scope.accountId)
        .where('id', '>', after)
        .orderBy('id')
        .limit(LINK_BATCH)
        .as('own'),
    )
    .select(joinedNumbers(ID_COLUMN).as('ids'))
    .executeTakeFirstOrThrow()
  return splitColumns(row.ids, ID_COLUMN).id
}
