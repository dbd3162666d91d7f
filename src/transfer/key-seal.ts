import { createCipheriv, createDecipheriv, randomBytes, randomUUID } from 'node:crypto'
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const CIPHER = 'aes-256-gcm'
const [KEY, NONCE, TAG] = [32, 12, 16]
/** A shorter tag would be easier to guess. */
const LENGTH = { authTagLength: TAG }

/**
 * Seals the keys of other services for as long as an import needs them, by a key of its own that lies
 * in the folder of the data: the database alone, or a copy of it, does not open them.
 */
export function createKeySeal({ dataDir }: { dataDir: string }) {
  const path = join(dataDir, 'import-key')
  let known: Promise<Buffer> | undefined

  function keyOf(): Promise<Buffer> {
    known ??= readOrMake(path)
    known.catch(() => {
      known = undefined
    })
    return known
  }

  return {
    async seal(id: number, text: string): Promise<Buffer> {
      const nonce = randomBytes(NONCE)
      const cipher = createCipheriv(CIPHER, await keyOf(), nonce).setAAD(aboutOf(id))
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return Buffer.concat([nonce, cipher.getAuthTag(), sealed])
    },

    /** Undefined if it was sealed for another import, or where other data lie. */
    async open(id: number, sealed: Buffer): Promise<string | undefined> {
      try {
        const decipher = createDecipheriv(CIPHER, await keyOf(), sealed.subarray(0, NONCE), LENGTH)
        decipher.setAAD(aboutOf(id)).setAuthTag(sealed.subarray(NONCE, NONCE + TAG))
        const text = decipher.update(sealed.subarray(NONCE + TAG))
        return Buffer.concat([text, decipher.final()]).toString('utf8')
      } catch {
        return undefined
      }
    },
  }
}

/** Several processes may be the first: a link is made by exactly one, and always to a whole file. */
async function readOrMake(path: string): Promise<Buffer> {
  const own = `${path}.${randomUUID()}`
  await mkdir(join(path, '..'), { recursive: true })
  await writeFile(own, randomBytes(KEY), { flag: 'wx', mode: 0o600 })
  try {
    await link(own, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    await rm(own, { force: true })
  }
  return readFile(path)
}

function aboutOf(id: number): Buffer {
  return Buffer.from(`import ${id}`)
}
