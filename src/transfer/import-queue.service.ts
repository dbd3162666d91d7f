import type { Context } from '../context.ts'
import type { Db } from '../db/pool.ts'
import { inTransaction } from '../db/transaction.ts'
import { AppError, invalid } from '../errors.ts'
import type { TakenAliasPolicy } from './import-batch.ts'
import { lockImportSlots, openImports } from './open-imports.queries.ts'
import { deleteImport, insertImport, trimImports, updateImport } from './progress.queries.ts'
import { moveImport } from './queue.queries.ts'
import { type FileSource, isFileSource } from './read/file.ts'
import type { Source } from './record.ts'
import { deleteInput, insertKey, insertPart, storedBytes } from './upload.queries.ts'

type Choices = { name: string; domain: string; onTaken: TakenAliasPolicy }

const MAX_IMPORTS = 50
/** The size in bytes of the parts in which files are stored. */
const CHUNK_BYTES = 1024 * 1024
const MAX_NAME_LENGTH = 200
/** The maximum number of waiting and running imports per account. */
const MAX_OPEN_IMPORTS = 10

type From = 'checked' | 'failed'

/**
 * Adds the import of a file, which starts with a dry run. Returns its id. An account can have one
 * such import at a time. A failed one is replaced.
 *
 * @throws AppError `invalid_input` naming `file`, `invalid_input` for too many imports, and any
 * error of reading the content
 */
export async function addFileImport(
  ctx: Context,
  db: Db,
  accountId: number,
  source: FileSource,
  choices: Choices,
  content: AsyncIterable<Buffer>,
): Promise<number> {
  const id = await insert(db, accountId, source, choices)
  try {
    const size = await storeFile(ctx, db, id, content)
    if (size === 0) throw invalid('file', 'must not be empty')
    await updateImport(db, id, { size, state: 'waiting' })
    return id
  } catch (error) {
    await deleteImport(db, id)
    throw error
  }
}

/**
 * Adds an import from a service's API, which starts with a dry run. Returns its id. The key is
 * stored encrypted until the import ends.
 *
 * @throws AppError `invalid_input` naming `address` or `token`, or for too many imports
 */
export async function addApiImport(
  ctx: Context,
  db: Db,
  accountId: number,
  source: Exclude<Source, FileSource>,
  { token, ...choices }: Choices & { token: string },
): Promise<number> {
  if (choices.name.length > MAX_NAME_LENGTH) {
    throw invalid('address', `must be at most ${MAX_NAME_LENGTH} characters`)
  }
  const url = URL.parse(choices.name)
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) {
    throw invalid('address', 'must be an address that begins with https://')
  }
  if (token.trim() === '') throw invalid('token', 'must be the key of the source')
  const id = await insert(db, accountId, source, choices)
  await insertKey(db, id, await ctx.keySeal.seal(id, token.trim()))
  await updateImport(db, id, { state: 'waiting' })
  return id
}

/**
 * Starts an import after its dry run.
 *
 * @throws AppError `not_found`
 */
export function startImport(db: Db, accountId: number, id: number): Promise<void> {
  return move(db, accountId, id, ['checked'], false)
}

/** Resumes an import that failed. @throws AppError `not_found` */
export function retryImport(db: Db, accountId: number, id: number): Promise<void> {
  return move(db, accountId, id, ['failed'])
}

/**
 * Cancels an import. Links that it has already created are not deleted.
 *
 * @throws AppError `not_found`
 */
export async function cancelImport(db: Db, accountId: number, id: number): Promise<void> {
  const from = ['waiting', 'checking', 'checked', 'running', 'failed'] as const
  if (!(await moveImport(db, { accountId, id, from }, 'cancelled'))) {
    throw new AppError('not_found')
  }
  await deleteInput(db, id)
}

/**
 * Changes the state of an import. @throws AppError `not_found` if the import does not exist or is
 * in another state
 */
async function move(
  db: Db,
  accountId: number,
  id: number,
  from: readonly From[],
  dryRun?: boolean,
): Promise<void> {
  if (!(await moveImport(db, { accountId, id, from }, 'waiting', dryRun))) {
    throw new AppError('not_found')
  }
}

async function insert(
  db: Db,
  accountId: number,
  source: Source,
  { name, domain, onTaken }: Choices,
): Promise<number> {
  await trimImports(db, accountId, MAX_IMPORTS)
  const options = { domain, onTaken }
  const values = { accountId, source, name: cleanName(name), options, background: true }
  return inTransaction(db, async (tx) => {
    await lockImportSlots(tx, accountId)
    const { files, all } = await openImports(tx, accountId)
    if (isFileSource(source) && files > 0) {
      throw invalid('file', 'must wait: finish or cancel the import of the last one first')
    }
    if (all >= MAX_OPEN_IMPORTS) {
      throw new AppError('invalid_input', 'Too many imports wait for their turn; cancel one first.')
    }
    return insertImport(tx, { ...values, state: 'uploading', dryRun: true })
  })
}

/** Stores the content of a file in parts. Returns its size. */
async function storeFile(
  { config }: Context,
  db: Db,
  id: number,
  content: AsyncIterable<Buffer>,
): Promise<number> {
  let size = 0
  let part = 0
  let waiting: Buffer[] = []
  let length = 0
  const flush = async () => {
    if (length > 0) {
      if ((await storedBytes(db)) + length > config.importUploadsBytes) {
        throw invalid(
          'file',
          'must wait: files of other imports take all the room; try again later',
        )
      }
      await insertPart(db, id, part++, Buffer.concat(waiting))
      // Sends a heartbeat, so that the upload does not look interrupted.
      await updateImport(db, id, {})
    }
    waiting = []
    length = 0
  }
  for await (const chunk of content) {
    size += chunk.length
    if (size > config.importUploadBytes) {
      const megabytes = Math.floor(config.importUploadBytes / 2 ** 20)
      throw invalid('file', `must be at most ${megabytes} MB`)
    }
    waiting.push(chunk)
    length += chunk.length
    if (length >= CHUNK_BYTES) await flush()
  }
  await flush()
  return size
}

function cleanName(name: string): string {
  return (
    name
      .replaceAll(/\p{Cc}/gu, ' ')
      .toWellFormed()
      .trim()
      .slice(0, MAX_NAME_LENGTH) || 'a file'
  )
}
