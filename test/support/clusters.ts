import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { removeOldScratch, scratchFolder } from './scratch.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** A folder for the cluster that tests copy, see `copyCluster`. */
    clusters: string
  }
}

/** Before all tests: an empty folder for the cluster that the first test to need one makes. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  await removeOldScratch()
  const folder = await mkdtemp(join(scratchFolder(), 'brevis-clusters-'))
  // Root runs PostgreSQL as another user.
  await chmod(folder, 0o755)
  project.provide('clusters', folder)
  return () => rm(folder, { recursive: true, force: true, maxRetries: 5 })
}
