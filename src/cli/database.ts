import { checkStatistics, type Discrepancy } from '../clicks/read.ts'
import { command } from './command.ts'
import { reportDifferences } from './differences.ts'

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
    return reportDifferences(checkStatistics(db), {
      json: context.json,
      describe,
      agree: 'The statistics agree with a recount.',
      fail: (count) => `${count} numbers of the statistics differ from a recount`,
    })
  },
})

function describe({ linkId, accountId, check, expected, found }: Discrepancy): string {
  const where = linkId === undefined ? `account ${accountId}` : `link ${linkId}`
  return `${where}: ${check}: ${found} instead of ${expected}`
}
