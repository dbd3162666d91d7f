import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createKeySeal } from './key-seal.ts'

test('a sealed key is decrypted only for its own import and data folder', async ({
  onTestFinished,
}) => {
  const dataDir = await createFolder()
  const otherDir = await createFolder()
  onTestFinished(() =>
    Promise.all([dataDir, otherDir].map((dir) => rm(dir, { recursive: true }))).then(),
  )
  const first = createKeySeal({ dataDir })
  const second = createKeySeal({ dataDir })
  const [sealed] = await Promise.all([first.seal(7, 'secret ✓'), second.seal(8, 'secret')])
  expect(sealed.includes('secret')).toBe(false)
  expect(await second.open(7, sealed)).toBe('secret ✓')
  expect(await first.open(8, sealed)).toBeUndefined()
  expect(await first.open(7, sealed.subarray(0, 20))).toBeUndefined()
  expect(await createKeySeal({ dataDir: otherDir }).open(7, sealed)).toBeUndefined()
  expect(await readdir(dataDir)).toEqual(['import-key'])
  expect((await stat(join(dataDir, 'import-key'))).mode & 0o777).toBe(0o600)
})

function createFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'brevis-seal-'))
}
