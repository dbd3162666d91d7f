import { sql } from 'kysely'
import type { Db } from '../db/pool.ts'
import type { Tx } from '../db/transaction.ts'
import { KIND } from './batch.ts'

export type LabelCount = [label: string, clicks: number]

export type Statistics = {
  clicks: number
  visitors: number
  lastClickAt: Date | undefined
  /** At most ten of each, the most clicked first, then in the order of their labels. */
  countries: LabelCount[]
  referrers: LabelCount[]
  browsers: LabelCount[]
  systems: LabelCount[]
  social: { facebook: number; twitter: number; instagram: number }
}

export type Totals = { clicks: number; visitors: number; lastClickAt: Date | undefined }

export type ClickStatistics = ReturnType<typeof createStatistics>

const TOP = 10
/** Rows of one table that a request deletes itself; what is more is left to the importer. */
const AT_ONCE = 5000

/** The statistics of links, read from sums alone: their cost does not grow with the clicks. */
export function createStatistics({ db }: { db: Db }) {
  /** Everything that is shown of one link; zeros and empty lists for a link without clicks. */
  async function forLink(linkId: number): Promise<Statistics> {
    const [totals, ...labels] = await readRows(db, linkId)
    const top = (kind: number) =>
      labels
        .filter((row) => row.kind === kind)
        .map(({ name, clicks }): LabelCount => [name, clicks])
    const social = new Map(top(KIND.social))
    return {
      clicks: totals?.clicks ?? 0,
      visitors: totals?.visitors ?? 0,
      lastClickAt: totals?.last_click_at ?? undefined,
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
  async function totalsOf(linkIds: readonly number[]): Promise<ReadonlyMap<number, Totals>> {
    if (linkIds.length === 0) return new Map()
    const rows = await db
      .selectFrom('click_totals')
      .select(['link_id', 'clicks', 'visitors', 'last_click_at'])
      .where('link_id', '=', sql<number>`any(${[...linkIds]}::bigint[])`)
      .execute()
    return new Map(
      rows.map(({ link_id, clicks, visitors, last_click_at }) => [
        link_id,
        { clicks, visitors, lastClickAt: last_click_at ?? undefined },
      ]),
    )
  }

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
  for (const table of ['click_totals', 'click_days', 'click_labels'] as const) {
    await tx.deleteFrom(table).where('link_id', '=', ids).execute()
  }
  const large = await sql<{ link_id: number }>`
    insert into removed_links (link_id)
    select id from unnest(${[...linkIds]}::bigint[]) id
    where exists (select from click_visitors where link_id = id offset ${AT_ONCE})
       or exists (select from clicks where link_id = id offset ${AT_ONCE})
    on conflict do nothing returning link_id`.execute(tx)
  const marked = new Set(large.rows.map(({ link_id }) => link_id))
  const small = linkIds.filter((id) => !marked.has(id))
  if (small.length === 0) return
  for (const table of ['click_visitors', 'clicks'] as const) {
    await tx.deleteFrom(table).where('link_id', '=', sql<number>`any(${small}::bigint[])`).execute()
  }
}

type Row = {
  kind: number
  name: string
  clicks: number
  visitors: number
  last_click_at: Date | null
}

/** The totals first, then the labels, from one snapshot so that they agree with each other. */
async function readRows(db: Db, linkId: number): Promise<Row[]> {
  const { rows } = await sql<Row>`
    select * from (
      select 0 as kind, '' as name, t.clicks, t.visitors, t.last_click_at
      from (select 1) one left join click_totals t on t.link_id = ${linkId}
      union all
      select kind, name, clicks, 0, null from (
        select l.kind, n.name, l.clicks,
          row_number() over (partition by l.kind order by l.clicks desc, n.name collate "C") as place
        from click_labels l join labels n on n.id = l.label_id where l.link_id = ${linkId}
      ) ranked where place <= ${TOP}
    ) found
    order by kind, clicks desc, name collate "C"`.execute(db)
  return rows
}
