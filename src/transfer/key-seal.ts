import { createCipheriv, createDecipheriv, randomBytes, randomUUID } from 'node:crypto'
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const CIPHER = 'aes-256-gcm'
const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16
/** The length of the authentication tag. Shorter tags are easier to guess. */
const TAG_LENGTH = { authTagLength: TAG_BYTES }

/**
 * Encrypts the keys of other services for the duration of an import. The encryption key is stored
 * in the data folder, so that a copy of the database does not reveal them.
 */
export function createKeySeal({ dataDir }: { dataDir: string }) {
  const path = join(dataDir, 'import-key')
  let cachedKey: Promise<Buffer> | undefined

  function loadKey(): Promise<Buffer> {
    cachedKey ??= readOrCreate(path)
    cachedKey.catch(() => {
      cachedKey = undefined
    })
    return cachedKey
  }

  return {
    /** Encrypts a key for the import with this id. */
    async seal(id: number, text: string): Promise<Buffer> {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv(CIPHER, await loadKey(), nonce).setAAD(additionalData(id))
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return Buffer.concat([nonce, cipher.getAuthTag(), sealed])
    },

    /**
     * Decrypts a key. Returns undefined if that fails, for example because the key was encrypted
     * for another import or with another data folder.
     */
    async open(id: number, sealed: Buffer): Promise<string | undefined> {
      try {
        const decipher = createDecipheriv(
          CIPHER,
          await loadKey(),
          sealed.subarray(0, NONCE_BYTES),
          TAG_LENGTH,
        )
        decipher
          .setAAD(additionalData(id))
          .setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
        const text = decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES))
        return Buffer.concat([text, decipher.final()]).toString('utf8')
      } catch {
        return undefined
      }
    },
  }
}

/**
 * Reads the file, or creates it. If several processes create it at the same time, only one hard
 * link succeeds. A file with this name is therefore always complete.
 */
async function readOrCreate(path: string): Promise<Buffer> {
  const draft = `${path}.${randomUUID()}`
  await mkdir(join(path, '..'), { recursive: true })
  await writeFile(draft, randomBytes(KEY_BYTES), { flag: 'wx', mode: 0o600 })
  try {
    await link(draft, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    await rm(draft, { force: true })
  }
  return readFile(path)
}

function additionalData(id: number): Buffer {
  return Buffer.from(`import ${id}`)
}
