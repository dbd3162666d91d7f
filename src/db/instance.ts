import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { NoResultError, type Selectable } from 'kysely'
import { AppError } from '../errors.ts'
import { isUnavailable, isUndefinedTable } from './errors.ts'
import { EMPTY, findOtherInstallation, OtherInstallationError } from './installation-id.ts'
import type { Db } from './pool.ts'
import type { DB } from './tables.generated.ts'

export type Instance = {
  /**
   * The token that a domain must serve at the well-known path to prove that it points to this
   * installation.
   */
  token: string
  /** The key with which visitors are hashed. */
  visitorKey: Buffer
}

const RETRY_MS = 250
/** Milliseconds between checks that the database is still the same. */
const CHECK_MS = 2000

/**
 * Returns the identity of this installation, which is the same for every process. The first call
 * creates it.
 */
export async function loadInstance(db: Db): Promise<Instance> {
  const row = await findInstance(db).catch(async (error: unknown) => {
    if (!(error instanceof NoResultError)) throw error
    const token = randomBytes(24).toString('base64url')
    await insertInstance(db, { token, visitor_key: randomBytes(32) })
    return findInstance(db)
  })
  return { token: row.token, visitorKey: row.visitor_key }
}

/**
 * Waits until the database is reachable and returns its identity. While it is unreachable, returns
 * the identity from `findStored` instead.
 */
export async function awaitInstance(
  db: Db,
  {
    onUnreachable,
    findStored,
  }: { onUnreachable: (error: Error) => void; findStored: () => Instance | undefined },
): Promise<Instance> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await loadInstance(db)
    } catch (error) {
      if (!isUnavailable(error) || !(error instanceof Error)) throw error
      if (attempt === 1) onUnreachable(error)
      const stored = findStored()
      if (stored) return stored
      await sleep(RETRY_MS)
    }
  }
}

/**
 * Checks regularly that the database belongs to an instance. Never resolves. While the database is
 * unreachable or empty, it waits.
 *
 * @throws Error once the database belongs to another instance
 */
export async function watchInstance(
  db: Db,
  { token }: Pick<DB['instance'], 'token'>,
): Promise<never> {
  for (;;) {
    const found = await findInstance(db).catch((error: Error) => {
      const other = findOtherInstallation(error)
      if (other && !other.isEmpty) throw other
    })
    if (found && found.token !== token) throw new OtherInstallationError(found.token, token)
    await sleep(found ? CHECK_MS : RETRY_MS, undefined, { ref: false })
  }
}

/**
 * Checks that a connection leads to the database of an instance.
 *
 * @throws Error if it belongs to another instance, or has none
 */
export async function requireInstance(
  db: Db,
  { token }: Pick<DB['instance'], 'token'>,
): Promise<void> {
  const found = await findInstance(db)
  if (found.token !== token) throw new OtherInstallationError(found.token, token)
}

/** Stores the identity of this installation if there is none. */
async function insertInstance(
  db: Db,
  values: Pick<DB['instance'], 'token' | 'visitor_key'>,
): Promise<void> {
  await db
    .insertInto('instance')
    .values(values)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/**
 * Returns the identity that all processes with this database share. A database without tables counts
 * as unavailable.
 */
export async function findInstance(
  db: Db,
): Promise<Pick<Selectable<DB['instance']>, 'token' | 'visitor_key'>> {
  const query = db.selectFrom('instance').select(['token', 'visitor_key'])
  return query.executeTakeFirstOrThrow().catch((error: unknown) => {
    if (!isUndefinedTable(error)) throw error
    throw new AppError('database_unavailable', { cause: new Error(`the database: ${EMPTY}`) })
  })
}

/** Returns the token of this installation, or undefined if it has none yet. */
export async function findToken(db: Db): Promise<string | undefined> {
  return (await db.selectFrom('instance').select('token').executeTakeFirst())?.token
}
