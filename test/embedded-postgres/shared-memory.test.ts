import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createChildEnvironment } from '../../src/config.ts'
import { query } from '../support/embedded-postgres.ts'

const PROCESS = fileURLToPath(new URL('../support/embedded-process.ts', import.meta.url))
const SCRATCH = new URL('../support/scratch.ts', import.meta.url).href
const NOBODY_UID = 65_534

/** Mount options of the tmpfs at /dev/shm. */
const TOO_SMALL = 'size=64k'
const NOT_WRITABLE = 'mode=755'
const LARGE = 'size=4g,mode=1777'

describe.runIf(canUnshare())('with a /dev/shm that PostgreSQL cannot use,', () => {
  test.for([
    ['too small', TOO_SMALL],
    ['not writable', NOT_WRITABLE],
  ] as const)('because it is %s, the first start works', async ([, options]) => {
    expect(await startAndReadMemoryType(await createDataFolder(), options)).toBe('sysv')
  })

  test('a cluster created while it was usable still starts', async () => {
    const dataDir = await createDataFolder()
    expect(await startAndReadMemoryType(dataDir, LARGE)).toBe('posix')
    expect(await startAndReadMemoryType(dataDir, NOT_WRITABLE)).toBe('sysv')
    expect(await startAndReadMemoryType(dataDir, LARGE)).toBe('posix')
  })

  test.for([
    ['too small', TOO_SMALL],
    ['not writable', NOT_WRITABLE],
  ] as const)('because it is %s, tests store their files elsewhere', ([, options]) => {
    const script = `const { scratchFolder } = await import('${SCRATCH}')
      process.setuid(${NOBODY_UID})
      process.stdout.write(scratchFolder())`
    const args = unshareArgs(options, process.execPath, '--input-type=module', '--eval', script)
    expect(execFileSync('unshare', args, { encoding: 'utf8' })).toBe(tmpdir())
  })
})

/** Starts the embedded database with a tmpfs at /dev/shm. Returns its type of shared memory. */
async function startAndReadMemoryType(dataDir: string, options: string): Promise<unknown> {
  const child = spawn('unshare', unshareArgs(options, process.execPath, PROCESS, dataDir), {
    // faketime has files of its own in /dev/shm, so that PostgreSQL seems to be able to use it.
    env: createChildEnvironment({ LD_PRELOAD: '' }),
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill())
  const [line] = await Promise.race([once(child.stdout, 'data'), once(child, 'exit')])
  const { url } = JSON.parse(String(line))
  const [row] = await query(url, 'show dynamic_shared_memory_type')
  child.stdin.end()
  await once(child, 'exit')
  return row?.dynamic_shared_memory_type
}

/** Returns the arguments of `unshare` that run a command with a tmpfs at /dev/shm. */
function unshareArgs(options: string, ...command: string[]): string[] {
  const script = 'mount -t tmpfs -o "$0" tmpfs /dev/shm && exec "$@"'
  return ['--mount', 'sh', '-c', script, options, ...command]
}

/** Creates a folder outside of /dev/shm, which the server sees as an empty tmpfs. */
async function createDataFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'brevis-embedded-')))
  await chmod(folder, 0o755)
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  return folder
}

/**
 * Returns whether mounting is possible, which requires root and is forbidden in some containers.
 */
function canUnshare(): boolean {
  try {
    execFileSync('unshare', unshareArgs(TOO_SMALL, 'true'), { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
