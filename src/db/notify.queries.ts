import { sql } from 'kysely'
import type pg from 'pg'
import type { Db } from './pool.ts'
import { textArray } from './text-array.ts'

const CHANNEL = 'brevis'
/** Separate, so that clicks do not wake processes that only follow changes. */
export const CLICKS_CHANNEL = 'brevis_clicks'

/** Notifies all listeners when the transaction commits. */
export async function sendNotifications(
  db: Db,
  payloads: readonly string[],
  channel = CHANNEL,
): Promise<void> {
  if (payloads.length === 0) return
  await sql`
    select pg_notify(${channel}, payload)
    from unnest(${textArray(payloads)}::text[]) payload`.execute(db)
}

/** Subscribes a connection to notifications. */
export async function listen(client: pg.ClientBase, channel = CHANNEL): Promise<void> {
  await client.query(`listen ${channel}`)
}

/** Checks that the connection is alive. */
export async function ping(client: pg.ClientBase): Promise<void> {
  await client.query('select 1')
}
