import { sql } from 'kysely'
import type { Db } from '../db/pool.ts'

/** Stores one part of an uploaded file. Parts are numbered from 0. */
export async function insertPart(
  db: Db,
  importId: number,
  part: number,
  content: Buffer,
): Promise<void> {
  await db.insertInto('import_files').values({ import_id: importId, part, content }).execute()
}

/** Returns the total size of all stored files in bytes. */
export async function readStoredBytes(db: Db): Promise<number> {
  const { total } = await db
    .selectFrom('import_files')
    .select(sql<number>`coalesce(sum(octet_length(content)), 0)::float8`.as('total'))
    .executeTakeFirstOrThrow()
  return total
}

/**
 * Yields the parts of an import's file, reading them on demand. After a crash of the database
 * server, which empties the unlogged table, there are none.
 */
export async function* readParts(db: Db, importId: number): AsyncGenerator<Buffer, void> {
  for (let part = 0; ; part += 1) {
    const row = await db
      .selectFrom('import_files')
      .select('content')
      .where('import_id', '=', importId)
      .where('part', '=', part)
      .executeTakeFirst()
    if (!row) return
    yield row.content
  }
}

export async function insertKey(db: Db, importId: number, sealed: Buffer): Promise<void> {
  await db.insertInto('import_keys').values({ import_id: importId, sealed }).execute()
}

export async function findKey(db: Db, importId: number): Promise<Buffer | undefined> {
  const row = await db
    .selectFrom('import_keys')
    .select('sealed')
    .where('import_id', '=', importId)
    .executeTakeFirst()
  return row?.sealed
}

/** Deletes the input of an import, which is its file or the key of its source. */
export async function deleteInput(db: Db, importId: number): Promise<void> {
  await db.deleteFrom('import_files').where('import_id', '=', importId).execute()
  await db.deleteFrom('import_keys').where('import_id', '=', importId).execute()
}

/**
 * Deletes the inputs of imports that have not changed since `before`, and the imports whose upload
 * was interrupted.
 */
export async function deleteAbandonedInputs(db: Db, before: Date): Promise<void> {
  const isAbandoned = sql<boolean>`background and updated_at < ${before}
    and state not in ('waiting', 'checking', 'running')`
  const abandoned = db.selectFrom('imports').select('id').where(isAbandoned)
  await db.deleteFrom('import_files').where('import_id', 'in', abandoned).execute()
  await db.deleteFrom('import_keys').where('import_id', 'in', abandoned).execute()
  await db.deleteFrom('imports').where(isAbandoned).where('state', '=', 'uploading').execute()
}
