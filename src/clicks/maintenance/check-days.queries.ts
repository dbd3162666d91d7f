import { sql } from 'kysely'
import type { Db } from '../../db/pool.ts'

const LINKS = 2000
const OWNED = 10_000

/** The links that statistics over time do not tell everything of yet: after `from`, up to `to`. */
export async function pendingLinks(db: Db): Promise<{ from: number; to: number }> {
  const row = await db
    .selectFrom('day_backfill')
    .select(['link_id as from', 'last_link_id as to'])
    .executeTakeFirst()
  return row ?? { from: 0, to: 0 }
}

/** The days of all links, a page of links at a time; the first day of each link has its total as well. */
export async function* linkDayRows(db: Db) {
  for (let last = 0; ; ) {
    const ids = await db
      .selectFrom('click_totals')
      .select('link_id')
      .where('link_id', '>', last)
      .orderBy('link_id')
      .limit(LINKS)
      .execute()
    const links = ids.map(({ link_id }) => link_id)
    if (links.length === 0) return
    yield await readPage(db, links)
    last = links.at(-1) ?? last
  }
}

/** In one statement, so that an import in between is seen whole or not at all. */
async function readPage(db: Db, links: readonly number[]) {
  const ids = sql<number>`any(${[...links]}::bigint[])`
  const rows = await db
    .selectFrom('click_days as d')
    .leftJoin('click_details as t', (join) =>
      join.onRef('t.link_id', '=', 'd.link_id').on('t.link_id', '=', ids),
    )
    .select(['d.link_id', 'd.clicks', 'd.visitors', 'd.hours', 'd.labels', 't.visitors as all'])
    .select(sql<string>`d.day::text`.as('day'))
    .where('d.link_id', '=', ids)
    .orderBy('d.link_id')
    .orderBy('d.day')
    .execute()
  const sums = new Map<number, number>()
  for (const { link_id, visitors } of rows) {
    sums.set(link_id, (sums.get(link_id) ?? 0) + (visitors ?? 0))
  }
  return rows.map(({ all, ...row }, index) => {
    if (rows[index - 1]?.link_id === row.link_id) return { ...row, total: undefined }
    return { ...row, total: { expected: all, found: sums.get(row.link_id) ?? 0 } }
  })
}

/** Every account, a page at a time. */
export async function* accountIds(db: Db): AsyncGenerator<number, void> {
  for (let last = 0; ; ) {
    const rows = await db
      .selectFrom('accounts')
      .select('id')
      .where('id', '>', last)
      .orderBy('id')
      .limit(LINKS)
      .execute()
    if (rows.length === 0) return
    for (const { id } of rows) yield id
    last = rows.at(-1)?.id ?? last
  }
}

export function accountDayRows(db: Db, accountId: number) {
  return db
    .selectFrom('account_days')
    .select(['clicks', 'visitors', 'hours', 'labels'])
    .select(sql<string>`day::text`.as('day'))
    .where('account_id', '=', accountId)
    .orderBy('day')
    .execute()
}

/** The days of an account's links that are there now, added up. */
export async function linkDaysOfAccount(
  db: Db,
  accountId: number,
): Promise<Map<string, { clicks: number; visitors: number }>> {
  const days = new Map<string, { clicks: number; visitors: number }>()
  for (let last = 0; ; ) {
    const links = await db
      .selectFrom('links')
      .select('id')
      .where('account_id', '=', accountId)
      .where('id', '>', last)
      .orderBy('id')
      .limit(OWNED)
      .execute()
    if (links.length === 0) return days
    last = links.at(-1)?.id ?? last
    const rows = await db
      .selectFrom('click_days')
      .select(({ fn }) => [
        fn.sum<string>('clicks').as('clicks'),
        fn.sum<string>('visitors').as('visitors'),
      ])
      .select(sql<string>`day::text`.as('day'))
      .where('link_id', '=', sql<number>`any(${links.map(({ id }) => id)}::bigint[])`)
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
