import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = '/sys/fs/cgroup'

export type MemoryLimit = ReturnType<typeof createMemoryLimit>

/** The files of version 1 or 2 of control groups, and the fields of `stat` that cannot be evicted. */
const VERSIONS = [
  {
    isUsed: existsSync(join(ROOT, 'memory/memory.stat')),
    parent: join(ROOT, 'memory'),
    limit: 'memory.limit_in_bytes',
    events: 'memory.oom_control',
    used: ['rss', 'shmem'],
  },
  {
    isUsed: existsSync(join(ROOT, 'cgroup.controllers')),
    parent: ROOT,
    limit: 'memory.max',
    events: 'memory.events',
    used: ['anon', 'shmem'],
  },
]

/**
 * Creates a control group whose processes get `bytes` of memory in all, like a container. Files in
 * the page cache count too, but the kernel evicts these first. Needs root.
 */
export function createMemoryLimit(bytes: number) {
  const version = VERSIONS.find(({ isUsed }) => isUsed)
  if (!version) throw new Error('control groups for memory are not mounted')
  const folder = join(version.parent, `brevis-bench-${process.pid}`)
  mkdirSync(folder)
  writeFileSync(join(folder, version.limit), String(bytes))
  const read = (file: string, field: string) => {
    const text = readFileSync(join(folder, file), 'utf8')
    return Number(new RegExp(`^${field} (\\d+)$`, 'm').exec(text)?.[1] ?? 0)
  }
  return {
    /** The start of a command that runs another one in the group. */
    wrapper: ['sh', '-c', `echo $$ > ${join(folder, 'cgroup.procs')} && exec "$@"`, 'sh'],
    /** Returns the memory in bytes that the kernel cannot evict. */
    readUsed: () => version.used.reduce((sum, field) => sum + read('memory.stat', field), 0),
    /** Returns how many processes the kernel has killed. */
    countKilled: () => read(version.events, 'oom_kill'),
    [Symbol.dispose](): void {
      rmdirSync(folder)
    },
  }
}
