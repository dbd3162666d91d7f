import type pg from 'pg'
import { withClient } from './client.ts'
import { awaitEcho } from './echo.ts'
import { sendEmpty } from './listen.queries.ts'
import { findMissingPrivileges, readServerFacts, type ServerFacts } from './server-facts.queries.ts'

const OLDEST_SERVER = 150_000
const MAX_TABLES = 5
const UTC = /^(?:etc\/)?(?:utc|uct|gmt|universal|zulu|greenwich)$/i
/** Long, because a busy server is not a reason to refuse to start. */
const ECHO_TIMEOUT_MS = 5000

/** Thrown if a database cannot be used until an operator changes it. */
export class UnsuitableDatabaseError extends Error {}

/**
 * Rejects a server or a database that cannot hold the schema.
 *
 * @throws UnsuitableDatabaseError
 */
export async function requireSuitableServer(client: pg.ClientBase): Promise<ServerFacts> {
  const facts = await readServerFacts(client)
  const { version, versionName, encoding, database } = facts
  if (version < OLDEST_SERVER) {
    throw new UnsuitableDatabaseError(
      `PostgreSQL 15 or newer is required, but this server is ${versionName}.`,
    )
  }
  if (encoding !== 'UTF8') {
    throw new UnsuitableDatabaseError(
      `The database ${quote(database)} has the encoding ${encoding}, but Brevis requires UTF-8. ` +
        `Create another one: create database … template template0 encoding 'UTF8'`,
    )
  }
  return facts
}

/**
 * Rejects a connection on which sessions do not last: a pooler in transaction mode hands out another
 * session for every transaction, so notifications are lost, and locks and settings leak.
 *
 * @throws UnsuitableDatabaseError
 */
export async function requireSession(
  client: pg.ClientBase,
  url: string,
  { timeZone, isReplica, user }: ServerFacts,
): Promise<void> {
  if (!UTC.test(timeZone)) {
    throw new UnsuitableDatabaseError(
      `Sessions of the database have the time zone ${timeZone}, although Brevis requested UTC. A connection ` +
        `pooler may ignore this option. Set it for the user: alter role ${quote(user)} set timezone = 'UTC'`,
    )
  }
  // A replica rejects LISTEN.
  if (isReplica) return
  // Uses each startup parameter of the pool, because a pooler may reject one.
  const options = { url, name: 'migrate', statementTimeout: ECHO_TIMEOUT_MS }
  const send = (channel: string) => withClient(options, (other) => sendEmpty(other, channel))
  if (await awaitEcho(client, send, ECHO_TIMEOUT_MS)) return
  throw new UnsuitableDatabaseError(
    'Notifications of the database do not arrive: it is behind a connection pooler in transaction mode. ' +
      'Use session mode (PgBouncer: pool_mode = session), or connect to PostgreSQL directly (DATABASE_URL).',
  )
}

/**
 * Rejects a user who may not use the tables.
 *
 * @throws UnsuitableDatabaseError
 */
export async function requirePrivileges(client: pg.ClientBase, user: string): Promise<void> {
  const { tables, owner } = await findMissingPrivileges(client)
  if (tables.length === 0 && owner === null) return
  const names = tables.slice(0, MAX_TABLES).join(', ')
  const more = tables.length > MAX_TABLES ? ` and ${tables.length - MAX_TABLES} more` : ''
  const problem =
    tables.length > 0
      ? `may not read and write the tables ${names}${more}`
      : 'may not add partitions to the table clicks'
  throw new UnsuitableDatabaseError(
    `The database user ${quote(user)} ${problem}. Give it the rights of their owner: ` +
      `grant ${quote(owner ?? '')} to ${quote(user)}`,
  )
}

/**
 * Rejects a user who may not migrate the database.
 *
 * @throws UnsuitableDatabaseError
 */
export function requireCreation({ user, database, schema, ...facts }: ServerFacts): void {
  if (facts.isReadOnly) {
    throw new UnsuitableDatabaseError(
      `The database ${quote(database)} is read-only, so it cannot be migrated.`,
    )
  }
  if (facts.canCreateTables && facts.canCreateSchemas) return
  const missing = facts.canCreateTables ? 'schemas' : `tables in ${schema ?? 'any schema'}`
  throw new UnsuitableDatabaseError(
    `The database user ${quote(user)} may not create ${missing}. Make it the owner: ` +
      `alter database ${quote(database)} owner to ${quote(user)}`,
  )
}

function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
