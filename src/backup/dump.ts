import { createHash } from 'node:crypto'
import type { Connection } from '../db/connection.ts'
import { listApplied } from '../db/migrate.queries.ts'
import { orderByReferences } from './order.ts'
import { FORMAT, MAX_PIECE, VERSION, writeRecord } from './records.ts'
import {
  copyOut,
  lastIdentity,
  listMonths,
  listTables,
  type StoredTable,
} from './tables.queries.ts'

export type Contents = { tables: number; rows: number }

const PIECE = 64 << 10

/**
 * Writes everything that the transaction sees as the records of a backup, in bounded memory; gives
 * what was written in the end.
 */
export async function* dump(
  connection: Connection,
  madeAt: Date,
): AsyncGenerator<Buffer, Contents, undefined> {
  const hash = createHash('sha256')
  const contents = { tables: 0, rows: 0 }
  for await (const piece of dumpTables(connection, madeAt, contents)) {
    hash.update(piece)
    yield piece
  }
  yield writeRecord({ end: true, ...contents, sha256: hash.digest('hex') })
  return contents
}

async function* dumpTables(
  connection: Connection,
  madeAt: Date,
  contents: Contents,
): AsyncGenerator<Buffer, void, undefined> {
  const { db } = connection
  const migrations = await listApplied(db)
  yield writeRecord({
    format: FORMAT,
    version: VERSION,
    madeAt: madeAt.toISOString(),
    migrations,
  })
  for (const table of orderByReferences(await listTables(db))) {
    contents.tables += 1
    contents.rows += yield* dumpTable(connection, table)
  }
}

async function* dumpTable(
  connection: Connection,
  table: StoredTable,
): AsyncGenerator<Buffer, number, undefined> {
  const { name, columns, identity } = table
  const months = await listMonths(connection.db, table)
  yield writeRecord({ table: name, columns, identity, months })
  const copy = copyOut(connection, table)
  for await (const piece of batch(copy)) {
    yield writeRecord({ bytes: piece.length })
    yield piece
  }
  // Asked after the copy, whose number of rows is known only when the next answer has come.
  const last = await lastIdentity(connection.db, name, identity)
  yield writeRecord({ rows: copy.rowCount, last })
  return copy.rowCount
}

/** The same bytes in pieces of a sensible size, none of them longer than a reader takes. */
async function* batch(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let parts: Buffer[] = []
  let size = 0
  for await (const chunk of source) {
    for (let at = 0; at < chunk.length; at += MAX_PIECE - PIECE) {
      const part = chunk.subarray(at, at + MAX_PIECE - PIECE)
      parts.push(part)
      size += part.length
      if (size < PIECE) continue
      yield Buffer.concat(parts)
      parts = []
      size = 0
    }
  }
  if (size > 0) yield Buffer.concat(parts)
}
