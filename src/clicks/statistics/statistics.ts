import { sql } from 'kysely'
import type { Db } from '../../db/pool.ts'
import { runPrepared } from '../../db/prepared.ts'
import type { Tx } from '../../db/transaction.ts'
import { KIND, type LabelCount, unpackCounts } from '../encoding/label-counts.ts'
import { readTotals, type Totals } from './totals.queries.ts'

export type TopLabel = [label: string, clicks: number]

export type Statistics = {
  clicks: number
  visitors: number
  lastClickAt: Date | undefined
  /** At most ten of each, the most clicked first, then in the order of their labels. */
  countries: TopLabel[]
  referrers: TopLabel[]
  browsers: TopLabel[]
  systems: TopLabel[]
  social: { facebook: number; twitter: number; instagram: number }
}

export type ClickStatistics = ReturnType<typeof createStatistics>

const TOP = 10
/** Rows of one table that a request deletes itself; what is more is left to the importer. */
const AT_ONCE = 5000

/** The statistics of links, read from sums alone: their cost does not grow with the clicks. */
export function createStatistics({ db }: { db: Db }) {
  /** Everything that is shown of one link; zeros and empty lists for a link without clicks. */
  async function forLink(linkId: number): Promise<Statistics> {
    const query = db
      .selectFrom('click_totals')
      .leftJoin('click_details', 'click_details.link_id', 'click_totals.link_id')
      .select(['clicks', 'visitors', 'last_click_at', 'labels'])
      .where('click_totals.link_id', '=', linkId)
      .compile()
    const [row] = await runPrepared(db, query)
    const top = await topLabels(db, row?.labels ? unpackCounts(row.labels) : [])
    const social = new Map(top(KIND.social))
    return {
      clicks: row?.clicks ?? 0,
      visitors: row?.visitors ?? 0,
      lastClickAt: row?.last_click_at ?? undefined,
      countries: top(KIND.country),
      referrers: top(KIND.referrer),
      browsers: top(KIND.browser),
      systems: top(KIND.os),
      social: {
        facebook: social.get('facebook') ?? 0,
        twitter: social.get('twitter') ?? 0,
        instagram: social.get('instagram') ?? 0,
      },
    }
  }

  /** The totals of several links, by id; links without clicks are not in the map. */
  const totalsOf = (linkIds: readonly number[]): Promise<ReadonlyMap<number, Totals>> =>
    readTotals(db, linkIds)

  return { forLink, totalsOf }
}

/**
 * Deletes what is stored of the clicks of links, in the transaction that has deleted the links
 * themselves just before: that order makes an import that runs at the same time either see the links
 * gone or be waited for. What shows anywhere goes at once; the visitors and raw clicks of a link
 * with very many of them are marked, and the importer deletes them a little later.
 */
export async function removeClicks(tx: Tx, linkIds: readonly number[]): Promise<void> {
  if (linkIds.length === 0) return
  const ids = sql<number>`any(${[...linkIds]}::bigint[])`
  for (const table of ['click_totals', 'click_days', 'click_details'] as const) {
    await tx.deleteFrom(table).where('link_id', '=', ids).execute()
  }
  for (const linkId of linkIds) {
    for (const table of ['click_visitors', 'clicks'] as const) {
      if (await hasMany(tx, table, linkId)) {
        await tx
          .insertInto('removed_links')
          .values({ link_id: linkId })
          .onConflict((conflict) => conflict.doNothing())
          .execute()
      } else {
        await tx.deleteFrom(table).where('link_id', '=', linkId).execute()
      }
    }
  }
}

async function hasMany(
  tx: Tx,
  table: 'click_visitors' | 'clicks',
  linkId: number,
): Promise<boolean> {
  const beyond = await tx
    .selectFrom(table)
    .select('link_id')
    .where('link_id', '=', linkId)
    .offset(AT_ONCE)
    .limit(1)
    .executeTakeFirst()
  return beyond !== undefined
}

/** The most clicked labels of each kind, by their names. */
async function topLabels(
  db: Db,
  counts: readonly LabelCount[],
): Promise<(kind: number) => TopLabel[]> {
  const candidates = Object.values(KIND).flatMap((kind) => mostClicked(counts, kind))
  const names = await findNames(db, new Set(candidates.map(({ label }) => label)))
  return (wanted) =>
    candidates
      .filter(({ kind }) => kind === wanted)
      .map(({ label, clicks }): TopLabel => [names.get(label) ?? '', clicks])
      .sort(([nameA, a], [nameB, b]) => b - a || (nameA < nameB ? -1 : 1))
      .slice(0, TOP)
}

/** Those of one kind that may be among the top: the last place can be shared by many. */
function mostClicked(counts: readonly LabelCount[], wanted: number): LabelCount[] {
  const own = counts.filter(({ kind }) => kind === wanted)
  // Bare numbers sort many times faster than entries, of which there may be a thousand.
  const sorted = Float64Array.from(own, ({ clicks }) => clicks).sort()
  const least = sorted.at(-TOP) ?? 0
  return own.filter(({ clicks }) => clicks >= least)
}

async function findNames(
  db: Db,
  labels: ReadonlySet<number>,
): Promise<ReadonlyMap<number, string>> {
  if (labels.size === 0) return new Map()
  const query = db
    .selectFrom('labels')
    .select(['id', 'name'])
    .where('id', '=', sql<number>`any(${[...labels]}::integer[])`)
    .compile()
  const rows = await runPrepared(db, query)
  return new Map(rows.map(({ id, name }) => [id, name]))
}
