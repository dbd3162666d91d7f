import { SchemaMismatchError } from './migration-files.ts'
import { listPendingMigrations } from './pending-migrations.ts'
import type { Db } from './pool.ts'
import { ping } from './readiness.queries.ts'

export type Readiness = { ready: true; reason?: undefined } | { ready: false; reason: string }

/**
 * Creates the check of the database: that it responds and has this program's schema.
 */
export function createDatabaseCheck({ db, databaseUrl }: { db: Db; databaseUrl: string }) {
  let isMigrated = false

  return async function check(): Promise<Readiness> {
    try {
      if (!isMigrated) {
        const [next] = await listPendingMigrations(databaseUrl)
        if (next) return { ready: false, reason: `migration ${next} is missing` }
        isMigrated = true
      }
      await ping(db)
      return { ready: true }
    } catch (error) {
      if (error instanceof SchemaMismatchError) return { ready: false, reason: error.message }
      return { ready: false, reason: 'the database does not respond' }
    }
  }
}
