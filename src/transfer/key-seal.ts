import { createCipheriv, createDecipheriv, randomBytes, randomUUID } from 'node:crypto'
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const CIPHER = 'aes-256-gcm'
const [KEY, NONCE, TAG] = [32, 12, 16]
/** Shorter tags would be easier to guess. */
const LENGTH = { authTagLength: TAG }

/**
 * Encrypts other services' keys for the duration of an import, with a key stored in the data
 * folder, so that a copy of the database does not reveal them.
 */
export function createKeySeal({ dataDir }: { dataDir: string }) {
  const path = join(dataDir, 'import-key')
  let known: Promise<Buffer> | undefined

  function keyOf(): Promise<Buffer> {
    known ??= readOrCreate(path)
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

    /** Returns undefined if it was encrypted for another import or with another data folder. */
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

/**
 * Several processes may create the file at once. Only one link succeeds, and always to a complete
 * file.
 */
async function readOrCreate(path: string): Promise<Buffer> {
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
