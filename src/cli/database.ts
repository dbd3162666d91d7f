import { checkStatistics, type Discrepancy } from '../clicks/read.ts'
import { command } from './command.ts'
import { reportDifferences } from './differences.ts'

export const migrateDatabase = command({
  summary: 'migrate the database to the current schema',
  async run(context) {
    return { applied: await context.migrate() }
  },
})

export const statsCheck = command({
  summary: 'compare all statistics and list counters with a recount, and report differences',
  async run(context) {
    const { db } = await context.connect()
    return reportDifferences(checkStatistics(db), {
      json: context.json,
      describe,
      agree: 'The statistics agree with a recount.',
      fail: (count) => `${count} values differ from a recount`,
    })
  },
})

function describe({ linkId, accountId, check, expected, found }: Discrepancy): string {
  const where = linkId === undefined ? `account ${accountId}` : `link ${linkId}`
  return `${where}: ${check}: ${found} instead of ${expected}`
}
