import { randomBytes } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { constants, createZstdCompress } from 'node:zlib'
import type pg from 'pg'
import { type Contents, dump, lockTables } from './dump.ts'
import { begin, inSession } from './session.ts'
import { listTables } from './tables.queries.ts'

type BackUpOptions = {
  databaseUrl: string
  file: string
  now: Date
  /** The name of an exported snapshot to back up, in place of this moment. */
  snapshot?: string | undefined
}

/**
 * Writes everything in the database to a file, as it is at one moment, while the service goes on.
 * The file appears under its name when it is complete and on the disk, and replaces an older one.
 * Only its owner can read it: it holds password hashes and the key of the visitors' hashes.
 *
 * @throws Error if the database has no schema of this program, or the file cannot be written.
 */
export async function backUp({
  databaseUrl,
  file,
  now,
  snapshot,
}: BackUpOptions): Promise<Contents> {
  return inSession(databaseUrl, 'backup', async (client) => {
    await beginSnapshot(client, snapshot)
    const draft = `${file}.${randomBytes(4).toString('hex')}.partial`
    try {
      const contents = await writeTo(draft, dump(client, now))
      await client.query('commit')
      await rename(draft, file)
      await syncFolder(dirname(file))
      return contents
    } catch (error) {
      await rm(draft, { force: true })
      throw error
    }
  })
}

async function beginSnapshot(client: pg.Client, snapshot: string | undefined): Promise<void> {
  const { rows } = await client.query<{ found: string | null }>(
    `select to_regclass('migrations')::text as found`,
  )
  if (!rows[0]?.found) throw new Error('There is nothing to back up: the database has no schema.')
  const tables = await listTables(client)
  await begin(client, 'isolation level repeatable read read only')
  if (snapshot) await client.query(`set transaction snapshot ${client.escapeLiteral(snapshot)}`)
  await lockTables(client, tables)
  const now = await listTables(client)
  if (now.length !== tables.length) throw new Error('The schema changed meanwhile. Try again.')
}

async function writeTo(
  file: string,
  records: AsyncGenerator<Buffer, Contents, undefined>,
): Promise<Contents> {
  let contents: Contents = { tables: 0, rows: 0 }
  await pipeline(
    async function* () {
      contents = yield* records
    },
    createZstdCompress({ params: { [constants.ZSTD_c_checksumFlag]: 1 } }),
    createWriteStream(file, { flags: 'wx', mode: 0o600, flush: true }),
  )
  return contents
}

/** Makes the new name itself last, where the system can do that for a folder. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
