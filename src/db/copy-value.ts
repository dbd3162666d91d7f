import { CompiledQuery, type Kysely, type RawBuilder } from 'kysely'
import type pg from 'pg'
import { type CopyToStreamQuery, to as copyTo } from 'pg-copy-streams'
import type { Schema } from './schema.ts'

const BEFORE = 'copy ('
const AFTER = ') to stdout (format binary)'

type Copy = CopyToStreamQuery & { query_timeout: number | undefined; callback?: () => void }

/**
 * The size of the signature, flags and extension, followed by the number of columns and the length
 * of the only one.
 */
const HEADER = 19
const COLUMNS = 2
const LENGTH = 4
const NULL = -1

/**
 * Returns the `bytea` that a query selects, or an empty buffer for null. The query must select one
 * value and have no parameters. The driver normally receives results as text, in which a byte takes
 * two characters. COPY takes a seventh of the time.
 * https://www.postgresql.org/docs/current/sql-copy.html
 */
export async function copyValue(db: Kysely<Schema>, query: RawBuilder<unknown>): Promise<Buffer> {
  const text = `${BEFORE}${query.compile(db).sql}${AFTER}`
  const { rows } = await db.executeQuery<{ value: Buffer }>(CompiledQuery.raw(text))
  if (!rows[0]) throw new Error('COPY requires a pooled connection')
  return rows[0].value
}

/** Returns whether a statement was created by `copyValue`. */
export function isCopyOfValue(text: string): boolean {
  return text.startsWith(BEFORE) && text.endsWith(AFTER)
}

/**
 * Runs a statement created by `copyValue` with a timeout in milliseconds. Defaults to the
 * connection's timeout.
 */
export async function runCopyOfValue(
  client: pg.ClientBase,
  text: string,
  limit: number | undefined,
): Promise<{ rows: { value: Buffer }[] }> {
  // The driver reads and sets these properties on everything it runs.
  const copy: Copy = Object.assign(copyTo(text), { query_timeout: limit })
  // The end of a connection is also reported to statements that have already failed.
  copy.on('error', () => {})
  try {
    const chunks: Buffer[] = await client.query(copy).toArray()
    return { rows: [{ value: onlyValue(Buffer.concat(chunks)) }] }
  } finally {
    // Stops the timer for the timeout.
    copy.callback?.()
  }
}

function onlyValue(bytes: Buffer): Buffer {
  const length = bytes.readInt32BE(HEADER + COLUMNS)
  const start = HEADER + COLUMNS + LENGTH
  return length === NULL ? Buffer.alloc(0) : bytes.subarray(start, start + length)
}
