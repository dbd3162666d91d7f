import { CompiledQuery, type Kysely, type RawBuilder } from 'kysely'
import type pg from 'pg'
import { type CopyToStreamQuery, to as copyTo } from 'pg-copy-streams'
import type { Schema } from './schema.ts'

const BEFORE = 'copy ('
const AFTER = ') to stdout (format binary)'

type Copy = CopyToStreamQuery & { query_timeout: number | undefined; callback?: () => void }

/** Signature, flags and extension; then the number of columns and the length of the only one. */
const HEADER = 19
const COLUMNS = 2
const LENGTH = 4
const NULL = -1

/**
 * Returns the only `bytea` that a query without parameters selects, empty for null. The driver receives
 * results of queries as text, in which a byte takes two characters; COPY takes a seventh of the time.
 * https://www.postgresql.org/docs/current/sql-copy.html
 */
export async function copyValue(db: Kysely<Schema>, query: RawBuilder<unknown>): Promise<Buffer> {
  const text = `${BEFORE}${query.compile(db).sql}${AFTER}`
  const { rows } = await db.executeQuery<{ value: Buffer }>(CompiledQuery.raw(text))
  if (!rows[0]) throw new Error('COPY needs a connection of a pool')
  return rows[0].value
}

/** Returns whether a statement is one of `copyValue`. */
export function isCopyOfValue(text: string): boolean {
  return text.startsWith(BEFORE) && text.endsWith(AFTER)
}

/** Runs such a statement with a timeout in milliseconds, by default the connection's own. */
export async function runCopyOfValue(
  client: pg.ClientBase,
  text: string,
  limit: number | undefined,
): Promise<{ rows: { value: Buffer }[] }> {
  // The driver reads and sets these on whatever it runs.
  const copy: Copy = Object.assign(copyTo(text), { query_timeout: limit })
  // The end of a connection is reported to a statement that has failed already.
  copy.on('error', () => {})
  try {
    const chunks: Buffer[] = await client.query(copy).toArray()
    return { rows: [{ value: onlyValue(Buffer.concat(chunks)) }] }
  } finally {
    // Ends the timer for the limit.
    copy.callback?.()
  }
}

function onlyValue(bytes: Buffer): Buffer {
  const length = bytes.readInt32BE(HEADER + COLUMNS)
  const start = HEADER + COLUMNS + LENGTH
  return length === NULL ? Buffer.alloc(0) : bytes.subarray(start, start + length)
}
