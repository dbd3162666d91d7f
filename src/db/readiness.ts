import { SchemaMismatchError } from './migration-files.ts'
import { listPendingMigrations } from './pending-migrations.ts'
import type { Db } from './pool.ts'
import { ping } from './readiness.queries.ts'

export type Readiness = { ready: true; reason?: undefined } | { ready: false; reason: string }

/**
 * Checks whether this process can serve requests: the database responds and has this program's
 * schema. After `drain`, it reports that the process is not ready, so that a proxy stops sending
 * requests.
 */
export function createReadiness({ db, databaseUrl }: { db: Db; databaseUrl: string }) {
  let isMigrated = false
  let isDraining = false

  async function check(): Promise<Readiness> {
    if (isDraining) return { ready: false, reason: 'shutting down' }
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

  return Object.assign(check, {
    drain(): void {
      isDraining = true
    },
  })
}
