import { sql } from 'kysely'
import { int8Array } from '../../db/pg-binary.ts'
import type { Db } from '../../db/pool.ts'
import { joinedNumbers, splitColumns } from '../storage/joined-rows.queries.ts'

const ACCOUNT_BATCH = 2000
const LINK_BATCH = 10_000

/** Yields all account ids, reading one page at a time. */
export async function* iterateAccountIds(db: Db): AsyncGenerator<number, void> {
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
export function readAccountDays(db: Db, accountId: number) {
  return db
    .selectFrom('account_days')
    .select(['clicks', 'visitors', 'hours', 'labels'])
    .select(sql<string>`day::text`.as('day'))
    .where('account_id', '=', accountId)
    .orderBy('day')
    .execute()
}

/** Returns the clicks and new visitors of an account's existing links, by day. */
export async function sumLinkDays(
  db: Db,
  accountId: number,
): Promise<Map<string, { clicks: number; visitors: number }>> {
  const days = new Map<string, { clicks: number; visitors: number }>()
  for (let last = 0; ; ) {
    const links = await listLinkIds(db, accountId, last)
    if (links.length === 0) return days
    last = links.at(-1) ?? last
    const rows = await db
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

const ID_COLUMN = { id: 'id' }

/** Returns the ids of an account's next links after an id. */
async function listLinkIds(db: Db, accountId: number, after: number): Promise<Float64Array> {
  const row = await db
    .selectFrom((own) =>
      own
        .selectFrom('links')
        .select('id')
        .where('account_id', '=', accountId)
        .where('id', '>', after)
        .orderBy('id')
        .limit(LINK_BATCH)
        .as('own'),
    )
    .select(joinedNumbers(ID_COLUMN).as('ids'))
    .executeTakeFirstOrThrow()
  return splitColumns(row.ids, ID_COLUMN).id
}
