import { statfs } from 'node:fs/promises'
import type { Runner } from './runner.ts'

/** Where POSIX shared memory is on Linux: shm_open(3). */
const FOLDER = '/dev/shm'
/** Parallel queries need some tens of MB. Containers often have 64 MB in all. */
const ENOUGH_BYTES = 128 * 2 ** 20

/**
 * Chooses PostgreSQL's `dynamic_shared_memory_type`: POSIX shared memory, or System V shared memory
 * where the runner's user cannot write to `/dev/shm` or it has little space. initdb makes the same
 * choice, but looks only once and not at the space.
 */
export async function chooseSharedMemory(runner: Runner): Promise<'posix' | 'sysv'> {
  if (process.platform !== 'linux') return 'posix'
  try {
    await runner.run('/bin/sh', ['-c', 'test -w "$1"', 'sh', FOLDER])
    const { bavail, bsize } = await statfs(FOLDER)
    return bavail * bsize < ENOUGH_BYTES ? 'sysv' : 'posix'
  } catch {
    return 'sysv'
  }
}
