import { unscoped } from '../../db/account-rows.ts'
import { textArray } from '../../db/arrays.ts'
import { byteaArray, dateArray, int8Array } from '../../db/pg-binary.ts'
import { prepareStatement } from '../../db/prepared.ts'
import type { Tx } from '../../db/transaction.ts'
import type { AccountScope } from '../../scope.ts'
import { addCounts, OTHER_LABEL, toCounts } from '../encoding/label-counts.ts'
import type { Counts } from '../encoding/packed-counts.ts'
import { createAccountSums } from './account-entries.ts'
import { addAccountDays } from './days.queries.ts'
import { type History, type LinkHistory, packHistory } from './pack-history.ts'

/**
 * Adds the clicks that an account's links received on another service. The same transaction must
 * have created the links, so that they have no clicks and no concurrent writer. Imported clicks
 * have no visitors and no raw clicks, and `click_imports` records their number. `labelIds` has the
 * numbers of the names that `listNames` returned.
 */
export async function addHistory(
  scope: AccountScope<Tx>,
  histories: ReadonlyMap<number, History>,
  labelIds: ReadonlyMap<string, number>,
): Promise<void> {
  if (histories.size === 0) return
  const other = labelIds.get(OTHER_LABEL) ?? 0
  const links = [...histories]
    .map(([linkId, history]) => packHistory(linkId, history, labelIds))
    .sort((a, b) => a.linkId - b.linkId)
  await addLinkHistory(unscoped(scope), links, other)
  // Comes last, because concurrent imports of clicks may update the same account row.
  await addAccountHistory(scope, links, other)
}

async function addLinkHistory(tx: Tx, links: readonly LinkHistory[], other: number): Promise<void> {
  const ids = int8Array(links.map(({ linkId }) => linkId))
  const clicks = int8Array(links.map(({ days }) => sumClicks(days)))
  const last = textArray(links.map(({ lastClickAt }) => lastClickAt))
  const labels = byteaArray(links.map(({ days }) => addCounts(undefined, sumLabels(days), other)))
  const first = dateArray(links.map(({ days }) => days[0]?.day ?? 0))
  const latest = dateArray(links.map(({ days }) => days.at(-1)?.day ?? 0))
  await insertTotals(tx, [ids, clicks, last])
  await insertChanges(tx, [ids])
  await insertDetails(tx, [ids, labels])
  await insertImports(tx, [ids, clicks, first, latest])
  await insertDays(tx, links, other)
}

/** Adds the same clicks to the days of the account. */
function addAccountHistory(
  scope: AccountScope<Tx>,
  links: readonly LinkHistory[],
  other: number,
): Promise<void> {
  const sums = createAccountSums(new Map(links.map(({ linkId }) => [linkId, scope.accountId])))
  for (const { linkId, days } of links) {
    for (const { day, clicks, hours, labels } of days) {
      const counts = { keys: Array.from(hours.keys), clicks: Array.from(hours.clicks) }
      const range = { from: 0, to: labels.keys.length }
      sums.add(linkId, day, { clicks, visitors: 0, counts }, labels, range)
    }
  }
  return addAccountDays(unscoped(scope), sums.entries(), other)
}

const insertTotals = prepareStatement(`insert into click_totals (link_id, clicks, last_click_at)
  select * from unnest($1::bigint[], $2::bigint[], $3::timestamptz[])`)

const insertChanges = prepareStatement(
  'insert into link_order_changes (link_ids) values ($1::bigint[])',
)

const insertDetails =
  prepareStatement(`insert into click_details (link_id, labels, visitors, hashes)
  select *, 0, '' from unnest($1::bigint[], $2::bytea[])`)

const insertImports =
  prepareStatement(`insert into click_imports (link_id, clicks, first_day, last_day)
  select * from unnest($1::bigint[], $2::bigint[], $3::date[], $4::date[])`)

const insertEachDay =
  prepareStatement(`insert into click_days (link_id, day, clicks, hours, labels, visitors)
  select *, 0 from unnest($1::bigint[], $2::date[], $3::bigint[], $4::bytea[], $5::bytea[])`)

function insertDays(tx: Tx, links: readonly LinkHistory[], other: number): Promise<unknown> {
  const rows = links.flatMap(({ linkId, days }) => days.map((day) => ({ linkId, ...day })))
  const ids = int8Array(rows.map(({ linkId }) => linkId))
  const dates = dateArray(rows.map(({ day }) => day))
  const clicks = int8Array(rows.map((row) => row.clicks))
  const hours = byteaArray(rows.map((row) => addCounts(undefined, row.hours, other)))
  const labels = byteaArray(rows.map((row) => addCounts(undefined, row.labels, other)))
  return insertEachDay(tx, [ids, dates, clicks, hours, labels])
}

function sumClicks(days: LinkHistory['days']): number {
  return days.reduce((sum, { clicks }) => sum + clicks, 0)
}

function sumLabels(days: LinkHistory['days']): Counts {
  const [only] = days
  if (only && days.length === 1) return only.labels
  const sums = new Map<number, number>()
  for (const { labels } of days) {
    for (let index = 0; index < labels.keys.length; index += 1) {
      const key = labels.keys[index] as number
      sums.set(key, (sums.get(key) ?? 0) + (labels.clicks[index] as number))
    }
  }
  return toCounts(sums)
}
