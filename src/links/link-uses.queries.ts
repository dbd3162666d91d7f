import { sql } from 'kysely'
import { idArray } from '../db/arrays.ts'
import type { Db } from '../db/pool.ts'
import { prepareStatement } from '../db/prepared.ts'
import type { Tx } from '../db/transaction.ts'
import type { LinkAddress } from './link.ts'

/**
 * `clicks` is the number of clicks used, or null if none were left. `is_marked` is whether
 * `used_up_at` is set.
 */
type ClickUse = { clicks: number | null; max_clicks: number | null; is_marked: boolean }

// A single statement locks the counter, so concurrent visits on all machines are counted one by
// one. A link whose limit is removed is unlimited immediately.
const consume = prepareStatement<ClickUse>(`
with link as (select id, max_clicks, used_up_at from links where id = $1),
used as (
  insert into link_uses as uses (link_id, clicks) select id, 1 from link
  on conflict (link_id) do update set clicks = uses.clicks + 1
    where uses.clicks < coalesce((select max_clicks from link), 2147483647)
  returning clicks
)
select used.clicks, link.max_clicks, link.used_up_at is not null as is_marked
from link left join used on true`)

/** Uses one of a link's clicks if any are left. Returns undefined if the link no longer exists. */
export async function consumeClick(db: Db, linkId: number): Promise<ClickUse | undefined> {
  const [row] = await consume(db, [linkId])
  return row
}

/**
 * Records that a link has no clicks left. Returns the link, or undefined if another process has
 * already recorded it.
 */
export async function markUsedUp(
  tx: Tx,
  linkId: number,
  now: Date,
): Promise<(LinkAddress & { accountId: number }) | undefined> {
  const row = await tx
    .updateTable('links')
    .set({ used_up_at: now })
    .where('id', '=', linkId)
    .where('used_up_at', 'is', null)
    .where(sql<boolean>`max_clicks <= (select clicks from link_uses where link_id = links.id)`)
    .returning(['account_id', 'domain_id', 'alias'])
    .executeTakeFirst()
  return row && { accountId: row.account_id, domainId: row.domain_id, alias: row.alias }
}

/** Applies a changed limit to the clicks used so far. Removing the limit resets them to 0. */
export async function applyClickLimit(tx: Tx, linkId: number, now: Date): Promise<void> {
  await sql`
    delete from link_uses using links
    where link_id = ${linkId} and links.id = link_id and max_clicks is null`.execute(tx)
  const isUsedUp = sql`coalesce(
    max_clicks <= (select clicks from link_uses where link_id = links.id), false)`
  await sql`
    update links set used_up_at = case when ${isUsedUp} then ${now}::timestamptz end
    where id = ${linkId} and ${isUsedUp} <> (used_up_at is not null)`.execute(tx)
}

/** Returns the number of used clicks by link id, for links with a limit. */
export async function readUsedClicks(
  db: Db,
  links: readonly { id: number; max_clicks: number | null }[],
): Promise<ReadonlyMap<number, number>> {
  const ids = links.flatMap(({ id, max_clicks }) => (max_clicks === null ? [] : id))
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('link_uses')
    .select(['link_id', 'clicks'])
    .where('link_id', '=', sql<number>`any(${idArray(ids)}::bigint[])`)
    .execute()
  return new Map(rows.map(({ link_id, clicks }) => [link_id, clicks]))
}

/** Stores the number of used clicks of imported links with a limit. */
export async function insertUsedClicks(
  tx: Tx,
  uses: readonly { linkId: number; usedClicks: number }[],
): Promise<void> {
  if (uses.length === 0) return
  const values = uses.map(({ linkId, usedClicks }) => ({ link_id: linkId, clicks: usedClicks }))
  await tx.insertInto('link_uses').values(values).execute()
}
