import { sql } from 'kysely'
import type { Context } from '../context.ts'
import { unscoped } from '../db/account-rows.ts'
import type { Db } from '../db/pool.ts'
import { type Tx, transact } from '../db/transaction.ts'
import { AppError, checkAllAsync, invalid } from '../errors.ts'
import { findNamedDomain } from '../links/short-link.ts'
import type { AccountScope, Scope } from '../scope.ts'
import type { TakenAliasPolicy } from './import-batch.ts'
import { deleteImport, insertImport, trimImports, updateImport } from './progress.queries.ts'
import { moveImport } from './queue.queries.ts'
import { type FileSource, isFileSource } from './read/file.ts'
import type { Source } from './record.ts'
import { deleteInput, insertKey, insertPart, readStoredBytes } from './upload.queries.ts'

/** After this time without data, an upload counts as interrupted. */
const UPLOAD_TIMEOUT = '10 minutes'

type Choices = { name: string; domain: string; onTaken: TakenAliasPolicy }

const MAX_IMPORTS = 50
/** The size in bytes of the parts in which files are stored. */
const CHUNK_BYTES = 1024 * 1024
const MAX_NAME_LENGTH = 200
/** The maximum number of waiting and running imports per account. */
const MAX_OPEN_IMPORTS = 10

type ResumableState = 'checked' | 'failed'

/**
 * Adds the import of a file, which starts with a dry run. Returns its id. An account can have one
 * such import at a time. A failed one is replaced.
 *
 * @throws AppError `invalid_input` naming `file`, or for too many imports, and any error that
 * reading the content throws
 */
export async function addFileImport(
  scope: Scope<Context>,
  source: FileSource,
  choices: Choices,
  content: AsyncIterable<Buffer>,
): Promise<number> {
  await findNamedDomain(scope, choices.domain)
  const id = await createImport(scope, source, choices)
  try {
    const size = await storeFile(scope, unscoped(scope), id, content)
    if (size === 0) throw invalid('file', 'empty')
    await updateImport(unscoped(scope), id, { size, state: 'waiting' })
    return id
  } catch (error) {
    await deleteImport(unscoped(scope), id)
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
  scope: Scope<Context>,
  source: Exclude<Source, FileSource>,
  { token, ...choices }: Choices & { token: string },
): Promise<number> {
  await checkAllAsync(
    () => checkAddress(choices.name),
    () => checkToken(token),
    () => findNamedDomain(scope, choices.domain),
  )
  const id = await createImport(scope, source, choices)
  await insertKey(unscoped(scope), id, await scope.keySeal.seal(id, token.trim()))
  await updateImport(unscoped(scope), id, { state: 'waiting' })
  return id
}

function checkAddress(address: string): void {
  if (address.length > MAX_NAME_LENGTH) {
    throw invalid('address', 'text_too_long', { max: MAX_NAME_LENGTH })
  }
  const url = URL.parse(address)
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) {
    throw invalid('address', 'begins_with_https')
  }
}

function checkToken(token: string): void {
  if (token.trim() === '') throw invalid('token', 'empty')
}

/**
 * Starts an import after its dry run.
 *
 * @throws AppError `not_found`
 */
export function startImport(scope: AccountScope, id: number): Promise<void> {
  return changeState(scope, id, ['checked'], false)
}

/** Resumes an import that failed. @throws AppError `not_found` */
export function retryImport(scope: AccountScope, id: number): Promise<void> {
  return changeState(scope, id, ['failed'])
}

/**
 * Cancels an import. Links that it has already created are not deleted.
 *
 * @throws AppError `not_found`
 */
export async function cancelImport(scope: AccountScope, id: number): Promise<void> {
  const from = ['waiting', 'checking', 'checked', 'running', 'failed'] as const
  if (!(await moveImport(unscoped(scope), { accountId: scope.accountId, id, from }, 'cancelled'))) {
    throw new AppError('not_found')
  }
  await deleteInput(unscoped(scope), id)
}

/**
 * Changes the state of an import. @throws AppError `not_found` if the import does not exist or is
 * in another state
 */
async function changeState(
  scope: AccountScope,
  id: number,
  from: readonly ResumableState[],
  dryRun?: boolean,
): Promise<void> {
  if (
    !(await moveImport(
      unscoped(scope),
      { accountId: scope.accountId, id, from },
      'waiting',
      dryRun,
    ))
  ) {
    throw new AppError('not_found')
  }
}

async function createImport(
  scope: AccountScope,
  source: Source,
  { name, domain, onTaken }: Choices,
): Promise<number> {
  await trimImports(scope, MAX_IMPORTS)
  const options = { domain, onTaken }
  const values = {
    accountId: scope.accountId,
    source,
    name: cleanName(name),
    options,
    background: true,
  }
  return transact(scope, async (tx) => {
    await lockImportSlots(tx)
    const { files, all } = await countOpenImports(tx)
    if (isFileSource(source) && files > 0) {
      throw invalid('file', 'previous_import')
    }
    if (all >= MAX_OPEN_IMPORTS) {
      throw new AppError('invalid_input', { text: 'rejections.imports_waiting' })
    }
    return insertImport(unscoped(tx), { ...values, state: 'uploading', dryRun: true })
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
  let pending: Buffer[] = []
  let length = 0
  const flush = async () => {
    if (length > 0) {
      if ((await readStoredBytes(db)) + length > config.importUploadsBytes) {
        throw invalid('file', 'space_taken')
      }
      await insertPart(db, id, part++, Buffer.concat(pending))
      // Sends a heartbeat, so that the upload does not look interrupted.
      await updateImport(db, id, {})
    }
    pending = []
    length = 0
  }
  for await (const chunk of content) {
    size += chunk.length
    if (size > config.importUploadBytes) {
      const megabytes = Math.floor(config.importUploadBytes / 2 ** 20)
      throw invalid('file', 'at_most_mb', { max: megabytes })
    }
    pending.push(chunk)
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

/**
 * Locks the account to start an import. Deletes its interrupted uploads, cancels its failed imports
 * that have a file, and deletes these files.
 */
async function lockImportSlots(scope: AccountScope<Tx>): Promise<void> {
  await sql`select from accounts where id = ${scope.accountId} for no key update`.execute(
    unscoped(scope),
  )
  await sql`delete from imports where account_id = ${scope.accountId} and background
    and state = 'uploading' and updated_at < now() - ${UPLOAD_TIMEOUT}::interval`.execute(
    unscoped(scope),
  )
  const failed = sql`select i.id from imports i where i.account_id = ${scope.accountId} and i.background
    and i.state = 'failed' and exists (select from import_files f where f.import_id = i.id)`
  const { rows } = await sql<{ id: number }>`
    update imports set state = 'cancelled', updated_at = now() where id in (${failed})
    returning id`.execute(unscoped(scope))
  const ids = rows.map(({ id }) => id)
  await sql`delete from import_files where import_id = any (${ids}::bigint[])`.execute(
    unscoped(scope),
  )
}

/**
 * Returns the number of an account's waiting and running background imports, and the number of
 * those with a file. The latter includes imports that are waiting for confirmation.
 */
async function countOpenImports(scope: AccountScope<Tx>): Promise<{ files: number; all: number }> {
  const { rows } = await sql<{ files: number; all: number }>`
    select (count(*) filter (where i.state <> 'checked'))::int as all,
      (count(*) filter (where i.source in ('csv', 'jsonl', 'list') and (i.state = 'uploading'
        or exists (select from import_files f where f.import_id = i.id))))::int as files
    from imports i where i.account_id = ${scope.accountId} and i.background
      and i.state in ('uploading', 'waiting', 'checking', 'checked', 'running')`.execute(
    unscoped(scope),
  )
  return rows[0] ?? { files: 0, all: 0 }
}
