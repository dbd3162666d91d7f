import { totalmem } from 'node:os'

const MIB = 2 ** 20
const GIB = 1024 * MIB

/** Returns the memory in bytes that this machine or container has for all of its processes. */
export function readMemoryLimit(): number {
  return Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY)
}

/**
 * Returns the sizes that depend on the memory: PostgreSQL's shared buffers, which it never releases,
 * and the number of links that a worker caches, each of which takes about 1 kB.
 */
export function chooseSizes(bytes = readMemoryLimit()) {
  const sharedBuffersMib = Math.min(256, Math.max(32, Math.floor(bytes / 8 / MIB)))
  return { sharedBuffersMib, cachedLinks: bytes < GIB ? 20_000 : 100_000 }
}
