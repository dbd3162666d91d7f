import { spawnSync } from 'node:child_process'
import {
  chown,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { replaceFile } from './replace.ts'

const isRoot = process.getuid?.() === 0
/** The user and group `nobody` on most systems. */
const UNPRIVILEGED_USER = { uid: 65_534, gid: 65_534 }

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'brevis-replace-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

test('a file is replaced by a complete one that only its owner can read', async () => {
  const path = join(folder, 'file')
  await writeFile(path, 'old', { mode: 0o666 })
  await replaceFile(path, async (draft) => {
    await draft.appendFile('new ')
    await draft.appendFile('text')
    expect(await readFile(path, 'utf8')).toBe('old')
  })
  expect(await readFile(path, 'utf8')).toBe('new text')
  expect((await stat(path)).mode & 0o777).toBe(0o600)
})

test('a write that fails leaves the old file and no draft', async () => {
  const path = join(folder, 'file')
  await writeFile(path, 'old')
  const failed = replaceFile(path, async (draft) => {
    await draft.appendFile('half')
    throw new Error('disk full')
  })
  await expect(failed).rejects.toThrow('disk full')
  expect(await readFile(path, 'utf8')).toBe('old')
  expect(await readdir(folder)).toEqual(['file'])
})

test('a write that was killed leaves a draft, which the next one deletes', async () => {
  const path = join(folder, 'file')
  const { pid: endedPid } = spawnSync(process.execPath, ['--version'])
  const names = {
    abandoned: [`file.${endedPid}-0123abcd.partial`],
    kept: [
      `file.${process.pid}-0123abcd.partial`,
      `other.${endedPid}-0123abcd.partial`,
      `file.${endedPid}-notes.partial`,
      'file.partial',
    ],
  }
  for (const name of [...names.abandoned, ...names.kept]) await writeFile(join(folder, name), 'a')
  await replaceFile(path, (draft) => draft.writeFile('new'))
  expect((await readdir(folder)).sort()).toEqual(['file', ...names.kept].sort())
})

test('a symbolic link at the path is replaced, not followed', async () => {
  const path = join(folder, 'file')
  const target = join(folder, 'target')
  await writeFile(target, 'unchanged', { mode: 0o644 })
  await symlink(target, path)
  await replaceFile(path, (draft) => draft.writeFile('new'))
  expect(await readFile(target, 'utf8')).toBe('unchanged')
  expect(await readFile(path, 'utf8')).toBe('new')
})

test.runIf(isRoot)(
  'a link in place of the draft neither changes its target nor the target’s owner',
  async () => {
    const shared = join(folder, 'shared')
    const target = join(folder, 'target')
    await writeFile(target, 'secret', { mode: 0o640 })
    await mkdir(shared)
    await chown(shared, UNPRIVILEGED_USER.uid, UNPRIVILEGED_USER.gid)
    await replaceFile(
      join(shared, 'file'),
      async (draft) => {
        const [name = ''] = await readdir(shared)
        await rm(join(shared, name))
        await symlink(target, join(shared, name))
        await draft.writeFile('new')
      },
      { owner: UNPRIVILEGED_USER },
    )
    const { uid, mode } = await stat(target)
    expect([uid, mode & 0o777]).toEqual([0, 0o640])
    expect(await readFile(target, 'utf8')).toBe('secret')
  },
)
