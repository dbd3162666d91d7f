import { createHash } from 'node:crypto'
import type pg from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import { orderByReferences } from './order.ts'
import { FORMAT, MAX_PIECE, VERSION, writeRecord } from './records.ts'
import {
  lastIdentity,
  listMonths,
  listTables,
  nameList,
  type StoredTable,
} from './tables.queries.ts'

export type Contents = { tables: number; rows: number }

const PIECE = 64 << 10

/**
 * Holds the tables still against changes of the schema, not of rows, to the transaction's end. To be
 * called before the transaction has looked at anything, so that its snapshot is from after that.
 */
export async function lockTables(
  client: pg.ClientBase,
  tables: readonly StoredTable[],
): Promise<void> {
  const names = nameList(client, ['migrations', ...tables.map(({ name }) => name)])
  await client.query(`lock table ${names} in access share mode`)
}

/**
 * Writes everything that the transaction sees as the records of a backup, in bounded memory; gives
 * what was written in the end.
 */
export async function* dump(
  client: pg.ClientBase,
  madeAt: Date,
): AsyncGenerator<Buffer, Contents, undefined> {
  const hash = createHash('sha256')
  const contents = { tables: 0, rows: 0 }
  for await (const piece of dumpTables(client, madeAt, contents)) {
    hash.update(piece)
    yield piece
  }
  yield writeRecord({ end: true, ...contents, sha256: hash.digest('hex') })
  return contents
}

async function* dumpTables(
  client: pg.ClientBase,
  madeAt: Date,
  contents: Contents,
): AsyncGenerator<Buffer, void, undefined> {
  const { rows: migrations } = await client.query<{ name: string; checksum: string }>(
    'select name, checksum from migrations order by name',
  )
  yield writeRecord({
    format: FORMAT,
    version: VERSION,
    madeAt: madeAt.toISOString(),
    migrations,
  })
  for (const table of orderByReferences(await listTables(client))) {
    contents.tables += 1
    contents.rows += yield* dumpTable(client, table)
  }
}

async function* dumpTable(
  client: pg.ClientBase,
  table: StoredTable,
): AsyncGenerator<Buffer, number, undefined> {
  const { name, columns, identity } = table
  const months = await listMonths(client, table)
  yield writeRecord({ table: name, columns, identity, months })
  // COPY does not take a partitioned table by its name alone before PostgreSQL 19.
  const copy = client.query(
    copyTo(
      `copy (select ${nameList(client, columns)} from ${client.escapeIdentifier(name)}) to stdout`,
    ),
  )
  for await (const piece of batch(copy)) {
    yield writeRecord({ bytes: piece.length })
    yield piece
  }
  // Asked after the copy, whose number of rows is known only when the next answer has come.
  const last = await lastIdentity(client, name, identity)
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
