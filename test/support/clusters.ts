import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { removeOldScratch, scratchFolder } from './scratch.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder of the cluster that tests copy, see `copyCluster`. */
    clusters: string
  }
}

/** Before all tests: creates the folder for a cluster created by the first test that needs one. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(scratchFolder(), 'brevis-clusters-'))
  await removeOldScratch(folder)
  // If run by root, PostgreSQL runs as another user.
  await chmod(folder, 0o755)
  project.provide('clusters', folder)
  return () => rm(folder, { recursive: true, force: true, maxRetries: 5 })
}
