import type pg from 'pg'

/** Runs `work` in a transaction on a connection of its own, which is thrown away on a failure. */
export async function inOwnTransaction<T>(
  pool: pg.Pool,
  work: (client: pg.ClientBase) => Promise<T>,
): Promise<T> {
  const client = await pool.connect()
  // A connection that breaks raises this besides failing the query; unheard it ends the process.
  const ignore = () => {}
  client.on('error', ignore)
  try {
    await client.query('begin')
    const result = await work(client)
    await client.query('commit')
    client.off('error', ignore)
    client.release()
    return result
  } catch (error) {
    client.release(true)
    throw error
  }
}
