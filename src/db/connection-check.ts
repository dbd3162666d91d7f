import type pg from 'pg'
import { isUndefinedTable } from './errors.ts'
import { OtherInstallationError } from './installation-id.ts'

/** The identity of an installation. */
export type Identity = { token: string }

export type ConnectionCheck = ReturnType<typeof createConnectionCheck>

/**
 * Creates the check that connections lead to the database of an installation. The database behind a
 * URL may be replaced at any time, but not behind an open connection, so each connection is checked
 * once, before its first use.
 */
export function createConnectionCheck() {
  const checked = new WeakSet<pg.ClientBase>()
  let instance: Identity | undefined

  return {
    /** Sets the installation. Until then, every connection is accepted. */
    require(required: Identity): void {
      instance = required
    },

    /** @throws OtherInstallationError if the connection leads to another installation */
    async check(client: pg.ClientBase, timeoutMs = 0): Promise<void> {
      if (!instance || checked.has(client)) return
      const { token } = instance
      const found = await findTokenOf(client, timeoutMs)
      if (found !== token) throw new OtherInstallationError(found, token)
      checked.add(client)
    },
  }
}

/** Returns the token of the database to which a connection leads, or undefined if it has none. */
async function findTokenOf(client: pg.ClientBase, timeoutMs: number): Promise<string | undefined> {
  const query = { text: 'select token from instance', query_timeout: timeoutMs || undefined }
  const { rows } = await client.query<{ token: string }>(query).catch((error: unknown) => {
    // Another database may have no such table.
    if (isUndefinedTable(error)) return { rows: [] }
    throw error
  })
  return rows[0]?.token
}
