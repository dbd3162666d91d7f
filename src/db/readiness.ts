import { sql } from 'kysely'
import { findOtherInstallation } from './installation-id.ts'
import type { Subscription } from './notify.ts'
import { isFinal, listPendingMigrations } from './pending-migrations.ts'
import type { Db } from './pool.ts'

/** @throws Error if the database is read-only or does not respond */
export async function requireWritable(db: Db): Promise<void> {
  if (!(await isWritable(db))) throw new Error('the database is read-only')
}

export type Readiness = { ready: true; reason?: undefined } | { ready: false; reason: string }

type Options = {
  db: Db
  databaseUrl: string
  /** The notifications of changes. Undefined for a process that does not need them. */
  subscription: Subscription | undefined
}

/**
 * Creates the check of the database: that it responds, has this program's schema, accepts changes
 * and sends notifications.
 */
export function createDatabaseCheck({ db, databaseUrl, subscription }: Options) {
  let isMigrated = false

  /** With `forVisits`, checks only what a redirect needs: a database that can be read. */
  return async function check({ forVisits = false } = {}): Promise<Readiness> {
    try {
      if (!isMigrated) {
        const [next] = await listPendingMigrations(databaseUrl)
        if (next) return { ready: false, reason: `migration ${next} is missing` }
        isMigrated = true
      }
      const writable = await isWritable(db)
      if (forVisits) return { ready: true }
      if (!writable) return { ready: false, reason: 'the database is read-only' }
      await subscription?.attempted
      if (subscription && !subscription.connected) {
        return { ready: false, reason: 'notifications of the database do not arrive' }
      }
      return { ready: true }
    } catch (error) {
      const lasting = isFinal(error) ? error : findOtherInstallation(error)
      if (lasting) return { ready: false, reason: lasting.message }
      return { ready: false, reason: 'the database does not respond' }
    }
  }
}

/** Returns whether the database accepts changes. A replica, for example, does not. */
async function isWritable(db: Db): Promise<boolean> {
  const { rows } = await sql<{ writable: boolean }>`
    select current_setting('transaction_read_only') = 'off' as writable`.execute(db)
  return rows[0]?.writable === true
}
