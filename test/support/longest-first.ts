import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The folders whose tests start processes and servers, or send thousands of requests. */
const LONG = [
  'faults',
  'process',
  'browser',
  'embedded-postgres',
  'db',
  'clicks',
  'backup',
  'http',
  'cli',
]

/**
 * Begins with the files that take longest, so that no worker is left alone with one at the end. A
 * machine that has run the tests knows how long each took; a fresh one goes by the folder.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    if (sorted.some((file) => this.ctx.cache.getTestSpecificationResult(file))) return sorted
    return sorted.sort((a, b) => rankOf(a) - rankOf(b))
  }
}

function rankOf({ moduleId }: TestSpecification): number {
  const rank = LONG.findIndex((folder) => moduleId.includes(`/test/${folder}/`))
  return rank === -1 ? LONG.length : rank
}
