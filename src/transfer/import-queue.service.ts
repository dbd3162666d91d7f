import type { Db } from '../db/pool.ts'
import { inTransaction } from '../db/transaction.ts'
import { AppError, invalid } from '../errors.ts'
import type { OnTaken } from './import-batch.ts'
import type { KeySeal } from './key-seal.ts'
import { makeRoom, openImports } from './open-imports.queries.ts'
import { deleteImport, insertImport, trimImports, updateImport } from './progress.queries.ts'
import { moveImport } from './queue.queries.ts'
import { type FileSource, isFileSource } from './read/file.ts'
import type { Source } from './record.ts'
import { deleteInput, insertKey, insertPart, storedBytes } from './upload.queries.ts'

export type ImportQueue = ReturnType<typeof createImportQueue>

type Choices = { name: string; domain: string; onTaken: OnTaken }

const KEPT = 50
/** Bytes of a row of the database. */
const PART = 1024 * 1024
const LONGEST_NAME = 200
/** Imports of an account that wait or run. */
const MOST_OPEN = 10

type Dependencies = {
  db: Db
  keys: Pick<KeySeal, 'seal'>
  /** Bytes of a file at most. */
  mostBytes: number
  /** Bytes of the files of all accounts together. */
  mostBytesOfAll: number
}

/** Imports for the background: each is tried out first, and then waits for its owner's word. */
export function createImportQueue({ db, keys, mostBytes, mostBytesOfAll }: Dependencies) {
  async function insert(accountId: number, source: Source, { name, domain, onTaken }: Choices) {
    await trimImports(db, accountId, KEPT)
    const options = { domain, onTaken }
    const rest = { accountId, source, name: cleanName(name), options, background: true }
    return inTransaction(db, async (tx) => {
      await makeRoom(tx, accountId)
      const { files, all } = await openImports(tx, accountId)
      if (isFileSource(source) && files > 0) {
        throw invalid('file', 'must wait: finish or cancel the import of the last one first')
      }
      if (all >= MOST_OPEN) {
        throw new AppError(
          'invalid_input',
          'Too many imports wait for their turn; cancel one first.',
        )
      }
      return insertImport(tx, { ...rest, state: 'uploading', dryRun: true })
    })
  }

  async function fill(id: number, content: AsyncIterable<Buffer>): Promise<number> {
    let size = 0
    let part = 0
    let waiting: Buffer[] = []
    let length = 0
    const flush = async () => {
      if (length > 0) {
        if ((await storedBytes(db)) + length > mostBytesOfAll) {
          throw invalid(
            'file',
            'must wait: files of other imports take all the room; try again later',
          )
        }
        await insertPart(db, id, part++, Buffer.concat(waiting))
        // A sign of life: an upload that goes on is not one that broke off.
        await updateImport(db, id, {})
      }
      waiting = []
      length = 0
    }
    for await (const chunk of content) {
      size += chunk.length
      if (size > mostBytes) {
        throw invalid('file', `must be at most ${Math.floor(mostBytes / 2 ** 20)} MB`)
      }
      waiting.push(chunk)
      length += chunk.length
      if (length >= PART) await flush()
    }
    await flush()
    return size
  }

  /** Moves an import on. @throws AppError `not_found` for one that is not there or not so far */
  async function move(accountId: number, id: number, from: readonly From[], dryRun?: boolean) {
    if (!(await moveImport(db, { accountId, id, from }, 'waiting', dryRun))) {
      throw new AppError('not_found')
    }
  }

  return {
    /**
     * Takes a file, to be tried out; gives the number of the import. An account has one at a time, and
     * one that failed gives way to it.
     *
     * @throws AppError `invalid_input` naming `file`, `invalid_input` for too many imports; whatever reading the content throws
     */
    async addFile(
      accountId: number,
      source: FileSource,
      choices: Choices,
      content: AsyncIterable<Buffer>,
    ): Promise<number> {
      const id = await insert(accountId, source, choices)
      try {
        const size = await fill(id, content)
        if (size === 0) throw invalid('file', 'must not be empty')
        await updateImport(db, id, { size, state: 'waiting' })
        return id
      } catch (error) {
        await deleteImport(db, id)
        throw error
      }
    },

    /**
     * The same for the API of a service; its key is kept, sealed, until the import is over.
     *
     * @throws AppError `invalid_input` naming `address` or `token`, or for too many imports
     */
    async addApi(
      accountId: number,
      source: Exclude<Source, FileSource>,
      { token, ...choices }: Choices & { token: string },
    ): Promise<number> {
      if (choices.name.length > LONGEST_NAME) {
        throw invalid('address', `must be at most ${LONGEST_NAME} characters`)
      }
      const url = URL.parse(choices.name)
      if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) {
        throw invalid('address', 'must be an address that begins with https://')
      }
      if (token.trim() === '') throw invalid('token', 'must be the key of the source')
      const id = await insert(accountId, source, choices)
      await insertKey(db, id, await keys.seal(id, token.trim()))
      await updateImport(db, id, { state: 'waiting' })
      return id
    },

    /** Takes in what was tried out. @throws AppError `not_found` */
    start: (accountId: number, id: number) => move(accountId, id, ['checked'], false),

    /** Goes on with what failed. @throws AppError `not_found` */
    retry: (accountId: number, id: number) => move(accountId, id, ['failed']),

    /** Ends an import; what it has taken stays. @throws AppError `not_found` */
    async cancel(accountId: number, id: number): Promise<void> {
      const from = ['waiting', 'checking', 'checked', 'running', 'failed'] as const
      if (!(await moveImport(db, { accountId, id, from }, 'cancelled'))) {
        throw new AppError('not_found')
      }
      await deleteInput(db, id)
    },
  }
}

type From = 'checked' | 'failed'

function cleanName(name: string): string {
  return (
    name
      .replaceAll(/\p{Cc}/gu, ' ')
      .toWellFormed()
      .trim()
      .slice(0, LONGEST_NAME) || 'a file'
  )
}
