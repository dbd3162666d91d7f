import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** A folder for `NODE_COMPILE_CACHE`. */
    compileCache: string
  }
}

/**
 * Before all tests: a folder in which the processes that tests start keep their compiled modules for
 * the next ones, which then start in 0.4 s instead of 0.6 s. It is removed at the end.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'brevis-compiled-'))
  project.provide('compileCache', folder)
  return () => rm(folder, { recursive: true, force: true, maxRetries: 5 })
}
