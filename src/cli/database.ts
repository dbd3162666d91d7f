import { checkStatistics, type Discrepancy } from '../clicks/read.ts'
import { command } from './command.ts'
import { jsonList } from './json-list.ts'

export const migrateDatabase = command({
  summary: 'bring the database up to date',
  async run(context) {
    return { applied: await context.migrate() }
  },
})

export const statsCheck = command({
  summary:
    'recount the statistics of every link and the counters of lists, and report what differs',
  async run(context) {
    const { db } = await context.connect()
    return report(checkStatistics(db), context.json)
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
