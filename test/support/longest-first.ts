import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The folders whose tests start processes and servers, and then wait for them much of the time; and such files. */
const WAITING = [
  ...['faults/', 'process/', 'embedded-postgres/', 'db/', 'backup/', 'cli/'],
  ...['clicks/terminated.', 'http/slow-clients.', 'http/fuzz-wire.'],
]
/** The others whose files take long: they keep a processor busy. */
const BUSY = ['browser/', 'clicks/', 'http/']

/**
 * Begins with the files that take longest, so that no worker is left alone with one at the end. A
 * machine that has run the tests knows how long each took; a fresh one goes by the folder. Files that
 * wait come in turns with files that do not, for three that wait would leave the processors idle.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const isKnown = sorted.some((file) => this.ctx.cache.getTestSpecificationResult(file))
    if (!isKnown) sorted.sort((a, b) => rankOf(a) - rankOf(b))
    return inTurns(
      sorted.filter((file) => placeIn(WAITING, file) !== -1),
      sorted.filter((file) => placeIn(WAITING, file) === -1),
    )
  }
}

/** One of each as long as there are both, then the rest. */
function inTurns<T>(some: readonly T[], others: readonly T[]): T[] {
  const longer = some.length > others.length ? some : others
  return longer.flatMap((_, index) => [
    ...some.slice(index, index + 1),
    ...others.slice(index, index + 1),
  ])
}

function rankOf(file: TestSpecification): number {
  const places = [...WAITING, ...BUSY]
  const rank = placeIn(places, file)
  return rank === -1 ? places.length : rank
}

function placeIn(places: readonly string[], { moduleId }: TestSpecification): number {
  return places.findIndex((place) => moduleId.includes(`/test/${place}`))
}
