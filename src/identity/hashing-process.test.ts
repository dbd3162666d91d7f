import { existsSync, readdirSync } from 'node:fs'
import { getPriority } from 'node:os'
import { test as base, expect, vi } from 'vitest'
import { listChildren } from '../../test/support/processes.ts'
import { createBareEnvironment } from '../config.ts'
import { argon } from './argon.ts'
import { createHashingProcess } from './hashing-process.ts'

/** `createHasher` creates a hasher that is closed at the end of the test. */
const test = base.extend('createHasher', ({ onTestFinished }) => {
  return (options: { idleMs?: number; env?: NodeJS.ProcessEnv } = {}) => {
    const hasher = createHashingProcess({ env: createBareEnvironment(), ...options })
    onTestFinished(() => hasher.close())
    return hasher
  }
})

/** Returns the PIDs of this process's hashing processes. */
async function listHashingProcesses(): Promise<number[]> {
  const children = await listChildren(process.pid)
  return children.filter(({ command }) => command.includes('password-hasher')).map(({ pid }) => pid)
}

/**
 * Returns the IDs that have their own priority: of the threads of a process on Linux, and of the
 * process on other systems.
 */
function listThreads(pid: number): number[] {
  const folder = `/proc/${pid}/task`
  return existsSync(folder) ? readdirSync(folder).map(Number) : [pid]
}

test('passwords are hashed and verified in one low-priority process, started on demand', async ({
  createHasher,
}) => {
  const hasher = createHasher()
  expect(await listHashingProcesses()).toEqual([])
  const [firstHash, secondHash] = await Promise.all([hasher.hash('one'), hasher.hash('two')])
  expect(firstHash).toMatch(/^\$argon2id\$v=19\$/)
  expect(await argon.verify(firstHash, 'one')).toBe(true)
  expect(await hasher.verify(secondHash, 'two')).toBe(true)
  expect(await hasher.verify(secondHash, 'one')).toBe(false)
  const [pid = 0, ...others] = await listHashingProcesses()
  expect(others).toEqual([])
  for (const thread of listThreads(pid)) expect(getPriority(thread)).toBeGreaterThanOrEqual(10)
})

test('the hashing process restarts after a crash and completes pending requests', async ({
  createHasher,
}) => {
  const hasher = createHasher()
  await hasher.hash('first')
  const [pid = 0] = await listHashingProcesses()
  process.kill(pid, 'SIGSTOP')
  const hashes = Promise.all([1, 2, 3].map((n) => hasher.hash(`password ${n}`)))
  process.kill(pid, 'SIGKILL')
  for (const [index, hashed] of (await hashes).entries()) {
    expect(await hasher.verify(hashed, `password ${index + 1}`)).toBe(true)
  }
  expect(await listHashingProcesses()).not.toContain(pid)
})

test('requests are rejected with "busy" while the hashing process cannot start, and it starts once possible', async ({
  createHasher,
}) => {
  const env: NodeJS.ProcessEnv = { ...createBareEnvironment(), NODE_OPTIONS: '--no-such-option' }
  const hasher = createHasher({ env })
  await expect(hasher.hash('password')).rejects.toMatchObject({ code: 'busy' })
  delete env.NODE_OPTIONS
  expect(await hasher.hash('password')).toContain('argon2id')
})

test('the hashing process reports an invalid stored hash', async ({ createHasher }) => {
  const hasher = createHasher()
  // `pchstr` is the name of the hash in the error of the argon2 library.
  await expect(hasher.verify('no hash', 'password')).rejects.toThrow('pchstr')
})

test('the hashing process exits when idle and restarts on demand', async ({ createHasher }) => {
  const hasher = createHasher({ idleMs: 1 })
  await hasher.hash('password')
  await vi.waitUntil(async () => (await listHashingProcesses()).length === 0, { timeout: 20_000 })
  expect(await hasher.hash('password')).toContain('argon2id')
})

test('close ends the hashing process, rejects pending requests and prevents restarts', async ({
  createHasher,
}) => {
  const hasher = createHasher()
  const pending = hasher.hash('password')
  hasher.close()
  await expect(pending).rejects.toMatchObject({ code: 'busy' })
  await expect(hasher.hash('later')).rejects.toMatchObject({ code: 'busy' })
  await vi.waitUntil(async () => (await listHashingProcesses()).length === 0, { timeout: 20_000 })
})
