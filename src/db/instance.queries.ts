import type { Selectable } from 'kysely'
import type { Db } from './pool.ts'
import type { InstanceTable } from './schema/installation.ts'

/** Stores the identity of this installation if there is none. */
export async function insertInstance(
  db: Db,
  values: Pick<InstanceTable, 'token' | 'visitor_key'>,
): Promise<void> {
  await db
    .insertInto('instance')
    .values(values)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Returns the identity that all processes with this database share. */
export function findInstance(
  db: Db,
): Promise<Pick<Selectable<InstanceTable>, 'token' | 'visitor_key'>> {
  return db.selectFrom('instance').select(['token', 'visitor_key']).executeTakeFirstOrThrow()
}

/** Returns the token of this installation, or undefined if it has none yet. */
export async function findToken(db: Db): Promise<string | undefined> {
  return (await db.selectFrom('instance').select('token').executeTakeFirst())?.token
}
