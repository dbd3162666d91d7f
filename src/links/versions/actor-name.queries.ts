import { sql } from 'kysely'
import type { Db } from '../../db/pool.ts'
import type { Actor, Surface } from './actor.ts'
import { formatActor } from './actor.ts'

const TABLES: Partial<Record<Surface, 'users' | 'api_keys' | 'imports'>> = {
  console: 'users',
  api: 'api_keys',
  'legacy-api': 'api_keys',
  'yourls-api': 'api_keys',
  import: 'imports',
}

/** The column with the display name in each table. */
const NAMES = {
  users: sql<string>`email`,
  api_keys: sql<string>`coalesce(name, prefix)`,
  // Commands store the path of the file, which would reveal the server's folders to members.
  imports: sql<string>`regexp_replace(name, '^/.*/', '')`,
} as const

/**
 * Returns the names of users, keys and imports, by the stored form of the actor (`formatActor`).
 * Deleted ones have no entry.
 */
export async function readActorNames(
  db: Db,
  actors: readonly Actor[],
): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>()
  for (const table of Object.keys(NAMES) as (keyof typeof NAMES)[]) {
    const tableActors = actors.filter(({ surface, id }) => id !== null && TABLES[surface] === table)
    if (tableActors.length === 0) continue
    const ids = [...new Set(tableActors.map(({ id }) => id))]
    const rows = await db
      .selectFrom<'users' | 'api_keys' | 'imports'>(table)
      .select(['id', NAMES[table].as('name')])
      .where('id', '=', sql<number>`any(${ids}::bigint[])`)
      .execute()
    const byId = new Map(rows.map(({ id, name }) => [id, name]))
    for (const actor of tableActors) {
      const name = byId.get(actor.id ?? 0)
      if (name !== undefined) names.set(formatActor(actor), name)
    }
  }
  return names
}
