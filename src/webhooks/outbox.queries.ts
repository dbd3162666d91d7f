import { sql } from 'kysely'
import type { Db } from '../db/pool.ts'
import { runPrepared } from '../db/prepared.ts'
import type { Tx } from '../db/transaction.ts'

/** Returns the events to which an account's enabled endpoints subscribe. */
export async function findSubscriptions(db: Db, accountId: number): Promise<Set<string>> {
  const query = db
    .selectFrom('webhook_endpoints')
    .select('events')
    .where('account_id', '=', accountId)
    .where('disabled_at', 'is', null)
    .compile()
  const rows = await runPrepared(db, query)
  return new Set(rows.flatMap(({ events }) => events))
}

/** Returns the accounts that subscribe to clicks. */
export async function findClickAccounts(db: Db): Promise<Set<number>> {
  const rows = await db
    .selectFrom('webhook_endpoints')
    .select('account_id')
    .distinct()
    .where(sql`'link.clicked'`, '=', sql`any (events)`)
    .where('disabled_at', 'is', null)
    .execute()
  return new Set(rows.map(({ account_id }) => account_id))
}

export type LinkClicks = { accountId: number; linkId: number; clicks: number }

/** Adds clicks to the pending clicks of each subscribed endpoint, in a fixed order. */
export async function collectClicks(tx: Tx, clicks: readonly LinkClicks[]): Promise<void> {
  await sql`
    insert into webhook_clicks (endpoint_id, link_id, clicks)
    select e.id, n.link_id, n.clicks
    from unnest(${clicks.map(({ accountId }) => accountId)}::bigint[],
      ${clicks.map(({ linkId }) => linkId)}::bigint[],
      ${clicks.map(({ clicks }) => clicks)}::bigint[]) n (account_id, link_id, clicks)
    join webhook_endpoints e on e.account_id = n.account_id
    where 'link.clicked' = any (e.events) and e.disabled_at is null
    order by e.id, n.link_id
    on conflict (endpoint_id, link_id) do update
    set clicks = webhook_clicks.clicks + excluded.clicks`.execute(tx)
}
