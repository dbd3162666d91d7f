import { existsSync, readdirSync } from 'node:fs'
import { getPriority } from 'node:os'
import { test as base, expect, vi } from 'vitest'
import { listChildren } from '../../test/support/processes.ts'
import { createBareEnvironment } from '../config.ts'
import { argon } from './argon.ts'
import { createHashingProcess } from './hashing-process.ts'

/** `start` creates a hasher that is closed at the end of the test. */
const test = base.extend('start', ({ onTestFinished }) => {
  return (options: { idleMs?: number; env?: NodeJS.ProcessEnv } = {}) => {
    const hasher = createHashingProcess({ env: createBareEnvironment(), ...options })
    onTestFinished(() => hasher.close())
    return hasher
  }
})

/** Returns the PIDs of this process's hashing processes. */
async function processes(): Promise<number[]> {
  const children = await listChildren(process.pid)
  return children.filter(({ command }) => command.includes('password-hasher')).map(({ pid }) => pid)
}

/** Linux has a priority per thread, other systems per process. */
function threadsOf(pid: number): number[] {
  const folder = `/proc/${pid}/task`
  return existsSync(folder) ? readdirSync(folder).map(Number) : [pid]
}

test('hashes and verifies in one low-priority process, started on demand', async ({ start }) => {
  const hasher = start()
  expect(await processes()).toEqual([])
  const [one, two] = await Promise.all([hasher.hash('one'), hasher.hash('two')])
  expect(one).toMatch(/^\$argon2id\$v=19\$/)
  expect(await argon.verify(one, 'one')).toBe(true)
  expect(await hasher.verify(two, 'two')).toBe(true)
  expect(await hasher.verify(two, 'one')).toBe(false)
  const [pid = 0, ...others] = await processes()
  expect(others).toEqual([])
  for (const thread of threadsOf(pid)) expect(getPriority(thread)).toBeGreaterThanOrEqual(10)
})

test('restarts after a crash and completes pending requests', async ({ start }) => {
  const hasher = start()
  await hasher.hash('first')
  const [pid = 0] = await processes()
  process.kill(pid, 'SIGSTOP')
  const answers = Promise.all([1, 2, 3].map((n) => hasher.hash(`password ${n}`)))
  process.kill(pid, 'SIGKILL')
  for (const [index, hashed] of (await answers).entries()) {
    expect(await hasher.verify(hashed, `password ${index + 1}`)).toBe(true)
  }
  expect(await processes()).not.toContain(pid)
})

test('rejects with "busy" while the process cannot start, and starts it once possible', async ({
  start,
}) => {
  const env: NodeJS.ProcessEnv = { ...createBareEnvironment(), NODE_OPTIONS: '--no-such-option' }
  const hasher = start({ env })
  await expect(hasher.hash('password')).rejects.toMatchObject({ code: 'busy' })
  delete env.NODE_OPTIONS
  expect(await hasher.hash('password')).toContain('argon2id')
})

test('reports an invalid stored hash', async ({ start }) => {
  const hasher = start()
  await expect(hasher.verify('no hash', 'password')).rejects.toThrow('pchstr')
})

test('exits when idle and restarts on demand', async ({ start }) => {
  const hasher = start({ idleMs: 1 })
  await hasher.hash('password')
  await vi.waitUntil(async () => (await processes()).length === 0, { timeout: 20_000 })
  expect(await hasher.hash('password')).toContain('argon2id')
})

test('close ends the process, rejects pending requests and prevents restarts', async ({
  start,
}) => {
  const hasher = start()
  const pending = hasher.hash('password')
  hasher.close()
  await expect(pending).rejects.toMatchObject({ code: 'busy' })
  await expect(hasher.hash('later')).rejects.toMatchObject({ code: 'busy' })
  await vi.waitUntil(async () => (await processes()).length === 0, { timeout: 20_000 })
})
