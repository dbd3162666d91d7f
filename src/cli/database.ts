import { checkStatistics, type Discrepancy } from '../clicks/read.ts'
import { defineCommand } from './command.ts'
import { reportDifferences } from './differences.ts'

export const migrateDatabase = defineCommand({
  summary: 'migrate the database to the current schema',
  async run(context) {
    return { applied: await context.migrate() }
  },
})

export const statsCheck = defineCommand({
  summary: 'compare all statistics and list counters with a recount, and report differences',
  async run(context) {
    const { db } = await context.connect()
    return reportDifferences(checkStatistics(db), {
      json: context.json,
      describe,
      agreementText: 'The statistics agree with a recount.',
      toErrorMessage: (count) => `${count} values differ from a recount`,
    })
  },
})

function describe({ linkId, accountId, check, expected, found }: Discrepancy): string {
  const where = linkId === undefined ? `account ${accountId}` : `link ${linkId}`
  return `${where}: ${check}: ${found} instead of ${expected}`
}
