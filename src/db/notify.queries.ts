import { sql } from 'kysely'
import { CHANGES_CHANNEL } from './listen.queries.ts'
import type { Db } from './pool.ts'
import { textArray } from './text-array.ts'

/** Notifies all listeners when the transaction commits. */
export async function sendNotifications(
  db: Db,
  payloads: readonly string[],
  channel = CHANGES_CHANNEL,
): Promise<void> {
  if (payloads.length === 0) return
  await sql`
    select pg_notify(${channel}, payload)
    from unnest(${textArray(payloads)}::text[]) payload`.execute(db)
}
