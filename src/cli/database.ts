import type { Discrepancy } from '../clicks/maintenance/check.ts'
import type { BackfillProgress } from '../clicks/maintenance/day-backfill.ts'
import { command } from './command.ts'
import { jsonList } from './json-list.ts'
import { renderAnswer } from './render.ts'

export const migrateDatabase = command({
  summary: 'bring the database up to date',
  async run(context) {
    const applied = await context.migrate()
    const { backfillDays } = await context.features()
    if (!context.json) return complete(backfillDays(), applied)
    let links = 0
    for await (const { done } of backfillDays()) links = done
    return { applied, links }
  },
})

/** What was applied, after as many lines as it takes to complete statistics over time. */
async function* complete(
  steps: AsyncIterable<BackfillProgress>,
  applied: readonly string[],
): AsyncGenerator<string> {
  for await (const { done, all } of steps) {
    yield `statistics over time: ${done} of ${all} links completed from their raw clicks\n`
  }
  yield renderAnswer({ applied }, false)
}

export const statsCheck = command({
  summary:
    'recount the statistics of every link and the counters of lists, and report what differs',
  async run(context) {
    const { checkStatistics } = await context.features()
    return report(checkStatistics(), context.json)
  },
})

/** Writes every difference, and then fails if there was one. */
async function* report(found: AsyncIterable<Discrepancy>, json: boolean): AsyncGenerator<string> {
  let count = 0
  const counted = (async function* () {
    for await (const difference of found) {
      count += 1
      yield difference
    }
  })()
  if (json) yield* jsonList('differences', counted, (difference) => difference)
  else for await (const difference of counted) yield describe(difference)
  if (count > 0) throw new Error(`${count} numbers of the statistics differ from a recount`)
  if (!json) yield 'The statistics agree with a recount.\n'
}

function describe({ linkId, accountId, check, expected, found }: Discrepancy): string {
  const where = linkId === undefined ? `account ${accountId}` : `link ${linkId}`
  return `${where}: ${check}: ${found} instead of ${expected}\n`
}
