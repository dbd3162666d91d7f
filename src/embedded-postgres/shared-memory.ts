import { statfs } from 'node:fs/promises'
import type { Runner } from './runner.ts'

/** The folder of POSIX shared memory on Linux. See shm_open(3). */
const SHM_FOLDER = '/dev/shm'
/** Parallel queries need tens of megabytes, and containers often have 64 MB in total. */
const MIN_FREE_BYTES = 128 * 2 ** 20

/**
 * Selects PostgreSQL's `dynamic_shared_memory_type`: POSIX shared memory, or System V shared memory
 * if the runner's user cannot write to `/dev/shm` or its free space is small. initdb does the same,
 * but only once and without checking the free space.
 */
export async function chooseSharedMemory(runner: Runner): Promise<'posix' | 'sysv'> {
  if (process.platform !== 'linux') return 'posix'
  try {
    await runner.run('/bin/sh', ['-c', 'test -w "$1"', 'sh', SHM_FOLDER])
    const { bavail, bsize } = await statfs(SHM_FOLDER)
    return bavail * bsize < MIN_FREE_BYTES ? 'sysv' : 'posix'
  } catch {
    return 'sysv'
  }
}
