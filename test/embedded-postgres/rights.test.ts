import { execFileSync } from 'node:child_process'
import { chmod, mkdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { secureDataFolder } from '../../src/embedded-postgres/data-folder.ts'
import {
  createClusterFolder,
  createDataFolder,
  query,
  start,
} from '../support/embedded-postgres.ts'

const isRoot = process.getuid?.() === 0
/** The user `nobody`, who owns no files. */
const NOBODY_UID = 65_534
/** If run by root, PostgreSQL runs as another user, who can enter the folder but not list it. */
const NOT_LISTABLE = isRoot ? 0o711 : 0o700

describe('permissions for other users of the machine', () => {
  test('the data folder, the lock and the log are private from the first start', async () => {
    const dataDir = join(await createDataFolder(), 'data')
    await start(dataDir)
    expect(await readModes(dataDir)).toEqual([NOT_LISTABLE, 0o600, 0o600, 0o700])
    if (!isRoot) return
    const runAsNobody = (...command: [string, string]) =>
      execFileSync(command[0], [command[1]], { uid: NOBODY_UID, gid: NOBODY_UID, stdio: 'pipe' })
    for (const name of ['postgres.lock', 'postgres.log']) {
      expect(() => runAsNobody('cat', join(dataDir, name))).toThrow('Permission denied')
    }
    expect(() => runAsNobody('ls', dataDir)).toThrow('Permission denied')
  })

  test('a later start makes the data folder and the lock private again', async () => {
    const dataDir = await createClusterFolder()
    const { stop } = await start(dataDir)
    await stop()
    await chmod(dataDir, 0o755)
    await chmod(join(dataDir, 'postgres.lock'), 0o666)
    const warnings: string[] = []
    const { url } = await start(dataDir, { warn: (line) => warnings.push(line) })
    expect(await readModes(dataDir)).toEqual([NOT_LISTABLE, 0o600, 0o600, 0o700])
    expect(warnings).toEqual([])
    expect(await query(url, 'SELECT 1 AS n')).toEqual([{ n: 1 }])
  })
})

describe('a data folder', () => {
  test('is private even without the embedded PostgreSQL, whether new or existing', async () => {
    const parent = await createDataFolder()
    const newFolder = join(parent, 'a', 'new')
    const existingFolder = join(parent, 'existing')
    await mkdir(existingFolder, { mode: 0o777 })
    for (const folder of [newFolder, existingFolder]) {
      expect(await secureDataFolder(folder, {})).toBe(folder)
      expect(await readMode(folder)).toBe(0o700)
    }
  })

  test('keeps stricter permissions', async () => {
    const folder = await createDataFolder(0o500)
    await secureDataFolder(folder, { embedded: true })
    expect(await readMode(folder)).toBe(0o500)
  })

  test('that is shared keeps its permissions, with a warning', async () => {
    const folder = await createDataFolder()
    await chmod(folder, 0o1777)
    expect(await collectWarnings(folder)).toEqual([
      `${folder} is open to other users of this machine and is a shared folder`,
    ])
    expect(await readMode(folder)).toBe(0o777)
  })

  test.runIf(isRoot)('of another owner causes a warning', async () => {
    const folder = await createDataFolder(0o755)
    const module = new URL('../../src/embedded-postgres/data-folder.ts', import.meta.url)
    const script = `const { secureDataFolder } = await import(${JSON.stringify(module.href)})
      await secureDataFolder(${JSON.stringify(folder)}, { warn: (line) => console.log(line) })`
    // Only root may be able to read the module, so the user changes after loading it.
    const lateScript = `await import(${JSON.stringify(module.href)}); process.setgid(${NOBODY_UID}); process.setuid(${NOBODY_UID});`
    const args = ['--input-type=module', '--eval', `${lateScript}${script}`]
    const output = execFileSync(process.execPath, args, { encoding: 'utf8' })
    expect(output).toBe(
      `${folder} is open to other users of this machine and could not be made private (EPERM)\n`,
    )
  })
})

async function collectWarnings(folder: string): Promise<string[]> {
  const warnings: string[] = []
  await secureDataFolder(folder, { warn: (line) => warnings.push(line) })
  return warnings
}

/** Returns the modes of the folder, its lock, its log and its cluster. */
function readModes(dataDir: string): Promise<number[]> {
  const files = ['', 'postgres.lock', 'postgres.log', 'postgres']
  return Promise.all(files.map((name) => readMode(join(dataDir, name))))
}

async function readMode(path: string): Promise<number> {
  return (await stat(path)).mode & 0o777
}
