import type pg from 'pg'

export const CHANGES_CHANNEL = 'brevis'
/**
 * Separate from the channel for changes, so that clicks do not wake processes that only listen for
 * changes.
 */
export const CLICKS_CHANNEL = 'brevis_clicks'

/** Subscribes a connection to notifications. */
export async function listen(client: pg.ClientBase, channel = CHANGES_CHANNEL): Promise<void> {
  await client.query(`listen ${channel}`)
}

/** Sends a notification without a payload. */
export async function sendEmpty(client: pg.ClientBase, channel: string): Promise<void> {
  await client.query('select pg_notify($1, $2)', [channel, ''])
}
