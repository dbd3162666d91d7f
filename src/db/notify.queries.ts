import { sql } from 'kysely'
import type pg from 'pg'
import type { Db } from './pool.ts'

const CHANNEL = 'brevis'

/** Sends a text to everyone who listens, when the transaction commits. */
export async function sendNotification(db: Db, payload: string): Promise<void> {
  await sql`select pg_notify(${CHANNEL}, ${payload})`.execute(db)
}

/** Subscribes a connection to what is sent from now on. */
export async function listen(client: pg.ClientBase): Promise<void> {
  await client.query(`listen ${CHANNEL}`)
}

/** Asks whether the other end is still there. */
export async function ping(client: pg.ClientBase): Promise<void> {
  await client.query('select 1')
}
