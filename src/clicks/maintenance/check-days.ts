import { oneAhead } from '../../concurrency/one-ahead.ts'
import type { Db } from '../../db/pool.ts'
import { KIND, sumsByKind } from '../encoding/label-counts.ts'
import { eachCount } from '../encoding/packed-counts.ts'
import { NEW_VISITORS } from '../encoding/packed-hours.ts'
import {
  accountDayRows,
  accountIds,
  linkDayRows,
  linkDaysOfAccount,
  pendingLinks,
} from './check-days.queries.ts'

/** A number of statistics over time that differs from what it should be. */
export type DayDiscrepancy = { check: string; expected: number; found: number } & (
  | { linkId: number; accountId?: never }
  | { accountId: number; linkId?: never }
)

type Packed = {
  clicks: number
  visitors: number | null
  hours: Buffer | null
  labels: Buffer | null
}

const KINDS = Object.entries({
  countries: KIND.country,
  referrers: KIND.referrer,
  browsers: KIND.browser,
  systems: KIND.os,
  devices: KIND.device,
  languages: KIND.language,
})

/**
 * Recounts statistics over time and gives each difference: labels and hours of every day against its
 * clicks, new visitors of all days against those of the link, and each account's days against the sum
 * of its links, which may be less by what has been deleted. Links that have still to be brought along
 * are left out, and so are accounts until that is done.
 */
export async function* checkDays(db: Db): AsyncGenerator<DayDiscrepancy, void> {
  const pending = await pendingLinks(db)
  for await (const rows of oneAhead(linkDayRows(db))) {
    for (const { link_id: linkId, day, total, ...row } of rows) {
      if (linkId > pending.from && linkId <= pending.to) continue
      if (total !== undefined && total.expected !== null && total.expected !== total.found) {
        yield { linkId, check: 'sum of new visitors', ...total, expected: total.expected }
      }
      for (const found of compare(row, day)) yield { linkId, ...found }
    }
  }
  if (pending.from < pending.to) return
  for await (const accountId of accountIds(db)) {
    // The links first: an import in between then adds to the account alone, and is no difference.
    const least = await linkDaysOfAccount(db, accountId)
    for (const { day, ...row } of await accountDayRows(db, accountId)) {
      const links = least.get(day) ?? { clicks: 0, visitors: 0 }
      least.delete(day)
      for (const name of ['clicks', 'visitors'] as const) {
        if (row[name] >= links[name]) continue
        const check = `${name} of the account on ${day}`
        yield { accountId, check, expected: links[name], found: row[name] }
      }
      for (const found of compareAtMost(row, day)) yield { accountId, ...found }
    }
    for (const [day, { clicks }] of least) {
      yield { accountId, check: `clicks of the account on ${day}`, expected: clicks, found: 0 }
    }
  }
}

/** Of a day with labels every click has one of each kind. */
function compare(row: Packed, day: string) {
  return counted(row, day, (expected, found) => expected !== found)
}

/** An account's day may have clicks of which nothing more is known. */
function compareAtMost(row: Packed, day: string) {
  return counted(row, day, (expected, found) => found > expected)
}

/** The sums of a day of which two numbers are `wrong` together. */
function* counted(
  { clicks, visitors, hours, labels }: Packed,
  day: string,
  wrong: (expected: number, found: number) => boolean,
) {
  if (labels) {
    const sums = sumsByKind(labels)
    for (const [name, kind] of KINDS) {
      const found = sums[kind] ?? 0
      if (wrong(clicks, found)) yield { check: `sum of ${name} on ${day}`, expected: clicks, found }
    }
  }
  if (hours) {
    let [all, newcomers] = [0, 0]
    eachCount(hours, (hour, count) => {
      if (hour < NEW_VISITORS) all += count
      else newcomers += count
    })
    if (wrong(clicks, all)) yield { check: `sum of hours on ${day}`, expected: clicks, found: all }
    const expected = visitors ?? 0
    if (wrong(expected, newcomers)) {
      yield { check: `new visitors by hour on ${day}`, expected, found: newcomers }
    }
  }
}
