import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'

/**
 * A backup is a Zstandard stream of lines of JSON, one record each; a `bytes` record is followed by
 * that many bytes of the table that was named last, in PostgreSQL's text format of COPY.
 * docs/backup.md shows a whole one.
 */
export type BackupRecord = Static<typeof AnyRecord>
export type Header = Static<typeof Header>
export type TableRecord = Static<typeof Table>
export type RowsRecord = Static<typeof Rows>

export const FORMAT = 'brevis-backup'
export const VERSION = 1
/** Bytes of a table in one piece, and of a line, at most: what a reader has to hold. */
export const MAX_PIECE = 1 << 20
export const MAX_LINE = 1 << 20

const Count = Type.Integer({ minimum: 0 })
/** Names reach messages and statements, so that nothing else may be in them. */
const Name = Type.String({ pattern: '^[a-z_][a-z0-9_]{0,62}$' })
/** Counted from the year 0: more than two hundred years of clicks, or before 1970, are a mistake. */
const Month = Type.Integer({ minimum: 1970 * 12, maximum: 9999 * 12 })
const MOST_MONTHS = 2400

const Header = Type.Object({
  format: Type.Literal(FORMAT),
  version: Type.Integer(),
  madeAt: Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT[\\d:.]{8,12}Z$' }),
  migrations: Type.Array(
    Type.Object({
      name: Type.String({ pattern: '^\\d{4}-[a-z0-9-]{1,100}$' }),
      checksum: Type.String({ maxLength: 64 }),
    }),
    { minItems: 1, maxItems: 9999 },
  ),
})

const Table = Type.Object({
  table: Name,
  columns: Type.Array(Name, { minItems: 1, maxItems: 1600, uniqueItems: true }),
  /** The column that numbers the rows by itself. */
  identity: Type.Union([Name, Type.Null()]),
  /** The months (counted from the year 0) that have a partition; empty for other tables. */
  months: Type.Array(Month, { maxItems: MOST_MONTHS, uniqueItems: true }),
})

const Piece = Type.Object({ bytes: Type.Integer({ minimum: 1, maximum: MAX_PIECE }) })

/** Ends a table; `last` is the last number that its identity column has given out. */
const Rows = Type.Object({ rows: Count, last: Type.Union([Count, Type.Null()]) })

/** Ends the backup: tables and rows in it, and the SHA-256 of everything before this line. */
const End = Type.Object({
  end: Type.Literal(true),
  tables: Count,
  rows: Count,
  sha256: Type.String(),
})

const AnyRecord = Type.Union([Header, Table, Piece, Rows, End])

/** A record as a line of JSON. */
export function writeRecord(record: BackupRecord): Buffer {
  return Buffer.from(`${JSON.stringify(record)}\n`)
}

/** @throws Error if the line is not a record. */
export function parseRecord(line: Buffer): BackupRecord {
  const value = parseJson(line.toString('utf8'))
  if (Value.Check(AnyRecord, value)) return value
  throw new Error('a line is damaged')
}

/** What is no JSON is undefined, because the parser's own error would show some of the content. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
