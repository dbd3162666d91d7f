import { sql } from 'kysely'
import type pg from 'pg'
import type { Db } from './pool.ts'
import { textArray } from './text-array.ts'

const CHANNEL = 'brevis'

/** Notifies all listeners when the transaction commits. */
export async function sendNotifications(db: Db, payloads: readonly string[]): Promise<void> {
  await sql`
    select pg_notify(${CHANNEL}, payload)
    from unnest(${textArray(payloads)}::text[]) payload`.execute(db)
}

/** Subscribes a connection to notifications. */
export async function listen(client: pg.ClientBase): Promise<void> {
  await client.query(`listen ${CHANNEL}`)
}

/** Checks that the connection is alive. */
export async function ping(client: pg.ClientBase): Promise<void> {
  await client.query('select 1')
}
