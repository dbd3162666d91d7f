import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

type Thread = { main: boolean; pool: boolean; before: number; after: number }

// In a process of its own, since no thread gets its priority back.
const SCRIPT = `
import { readdirSync, readFileSync } from 'node:fs'
import { getPriority } from 'node:os'
import { lowerPoolPriority } from '${new URL('./thread-priority.ts', import.meta.url)}'
const before = getPriority()
await lowerPoolPriority()
const threads = readdirSync('/proc/self/task').map(Number).map((id) => ({
  main: id === process.pid,
  pool: readFileSync('/proc/self/task/' + id + '/comm', 'utf8').startsWith('libuv-worker'),
  before,
  after: getPriority(id),
}))
console.log(JSON.stringify(threads))
`

test.runIf(process.platform === 'linux')(
  'the pool alone stands behind the event loop',
  async () => {
    const args = ['--input-type=module', '-e', SCRIPT]
    const { stdout } = await promisify(execFile)(process.execPath, args)
    const threads: Thread[] = JSON.parse(stdout)
    const pool = threads.filter((thread) => thread.pool)
    expect(pool.length).toBeGreaterThan(0)
    for (const { after } of pool) expect(after).toBeGreaterThanOrEqual(10)
    const others = threads.filter((thread) => !thread.pool)
    expect(others.some((thread) => thread.main)).toBe(true)
    for (const { before, after } of others) expect(after).toBe(before)
  },
)
