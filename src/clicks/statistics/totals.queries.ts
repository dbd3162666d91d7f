import { sql } from 'kysely'
import { idArray } from '../../db/arrays.ts'
import type { Db } from '../../db/pool.ts'
import { runPrepared } from '../../db/prepared.ts'

export type Totals = { clicks: number; lastClickAt: Date | undefined }

/** Returns the sum of the totals of links. */
export async function sumTotals(db: Db, linkIds: readonly number[]): Promise<Totals> {
  const row = await db
    .selectFrom('click_totals')
    .select(({ fn }) => [
      fn.sum<string | null>('clicks').as('clicks'),
      fn.max<Date | null>('last_click_at').as('last_click_at'),
    ])
    .where('link_id', '=', sql<number>`any(${[...linkIds]}::bigint[])`)
    .executeTakeFirst()
  return { clicks: Number(row?.clicks), lastClickAt: row?.last_click_at ?? undefined }
}

/** Returns the totals of links by id. Omits links without a row of totals. */
export async function readTotals(
  db: Db,
  linkIds: readonly number[],
): Promise<ReadonlyMap<number, Totals>> {
  if (linkIds.length === 0) return new Map()
  const query = db
    .selectFrom('click_totals')
    .select(['link_id', 'clicks', 'last_click_at'])
    .where('link_id', '=', sql<number>`any(${idArray(linkIds)}::bigint[])`)
    .compile()
  const rows = await runPrepared(db, query)
  return new Map(
    rows.map(({ link_id, clicks, last_click_at }) => [
      link_id,
      { clicks, lastClickAt: last_click_at ?? undefined },
    ]),
  )
}
