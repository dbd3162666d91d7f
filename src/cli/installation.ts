import { resolve } from 'node:path'
import { backUp } from '../backup/back-up.ts'
import type { Manifest } from '../backup/manifest.ts'
import { restore } from '../backup/restore.ts'
import { distribute } from '../clicks/import.ts'
import { checkStatistics, type Discrepancy, inspectJournal } from '../clicks/read.ts'
import { systemClock } from '../clock.ts'
import { connect, openClient } from '../db/client.ts'
import { examine } from '../doctor/doctor.ts'
import { type Finding, failure } from '../doctor/finding.ts'
import { compareStore } from '../links/store/compare.ts'
import { storeFolder } from '../links/store/store-file.ts'
import { defineCommand, generateJsonList } from './command.ts'

type Report<Difference> = {
  json: boolean
  /** Returns a line for a difference. */
  describe: (difference: Difference) => string
  /** The text that is shown if there are no differences. */
  agreementText: string
  /** Returns the error message for a number of differences. */
  toErrorMessage: (count: number) => string
}

export const storeCheck = defineCommand({
  summary: 'compare the link store of this machine with the database row by row',
  async run(context) {
    const differences = compareOnConnection(
      await context.databaseUrl(),
      storeFolder(context.config.dataDir),
    )
    return reportDifferences(differences, {
      json: context.json,
      describe: ({ kind, id, problem }) => `${kind} ${id}: ${problem}`,
      agreementText: 'The link store agrees with the database.',
      toErrorMessage: (count) => `${count} entries of the link store differ from the database`,
    })
  },
})

export const journalInspect = defineCommand({
  summary: 'list the files of the click journal, with their clicks and damage',
  async run({ config: { journalDir } }) {
    return { journal: journalDir, files: inspectJournal(journalDir) }
  },
})

export const clusterDistribute = defineCommand({
  summary: 'distribute the click tables over a Citus cluster',
  async run({ databaseUrl }) {
    return { distributed: await distribute(await databaseUrl()) }
  },
})

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

export const doctor = defineCommand({
  summary: 'check folder, database, clock, journal, store, URL, certificate, mail and country data',
  async run({ config, databaseUrl, json }) {
    return report(examine(config, { openUrl: () => databaseUrl(), now: new Date() }), json)
  },
  reportInvalidSettings: (error, json) => report(rejectSettings(error), json),
})

/**
 * Only used for help and error messages: `src/cli.ts` starts the service without parsing commands.
 */
export const startService = defineCommand({
  summary: 'start the service, with settings from .env and data in ./data',
  run: () => Promise.reject(new Error('start takes no options: settings are in .env')),
})

/** Yields the problem of the settings, without which nothing else can be checked. */
async function* rejectSettings({ message }: Error): AsyncGenerator<Finding> {
  yield {
    check: 'settings',
    ...failure(message.replaceAll('\n', '; '), 'Correct the settings. All other checks need them.'),
  }
}

/** Yields every finding, then throws if there were errors, so that the exit code is 1. */
async function* report(findings: AsyncIterable<Finding>, json: boolean): AsyncGenerator<string> {
  let errors = 0
  const counted = (async function* () {
    for await (const finding of findings) {
      if (finding.state === 'error') errors += 1
      yield finding
    }
  })()
  if (json) yield* generateJsonList('findings', counted, (finding) => finding)
  else for await (const finding of counted) yield format(finding)
  if (errors > 0) throw new Error(errors === 1 ? '1 check failed' : `${errors} checks failed`)
}

function format({ check, state, detail, remedy }: Finding): string {
  const line = `${state.padEnd(7)}  ${check}: ${detail}`
  const lines = remedy === null ? [line] : [line, `         ${remedy}`]
  return lines.map((text) => `${text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ')}\n`).join('')
}

function describe({ linkId, accountId, check, expected, found }: Discrepancy): string {
  const where = linkId === undefined ? `account ${accountId}` : `link ${linkId}`
  return `${where}: ${check}: ${found} instead of ${expected}`
}

async function* compareOnConnection(url: string, folder: string) {
  const client = openClient({ url, name: 'command' })
  await connect(client, url)
  try {
    yield* compareStore(client, folder)
  } finally {
    await client.end()
  }
}

/** Yields a line for every difference, then throws if there were any. */
async function* reportDifferences<Difference>(
  differences: AsyncIterable<Difference>,
  { json, describe, agreementText, toErrorMessage }: Report<Difference>,
): AsyncGenerator<string> {
  let count = 0
  const countedDifferences = (async function* () {
    for await (const difference of differences) {
      count += 1
      yield difference
    }
  })()
  if (json) yield* generateJsonList('differences', countedDifferences, (difference) => difference)
  else for await (const difference of countedDifferences) yield `${describe(difference)}\n`
  if (count > 0) throw new Error(toErrorMessage(count))
  if (!json) yield `${agreementText}\n`
}

export const backUpDatabase = defineCommand({
  summary: 'back up the database to a file; the service can keep running',
  required: { file: 'the file to write; an existing one is replaced when the backup is complete' },
  operands: ['file'],
  async run({ config, databaseUrl, json }, { file }) {
    const path = resolve(file)
    const now = systemClock()
    const manifest = await backUp({ databaseUrl: await databaseUrl(), file: path, now })
    const { tables, rows } = countContents(manifest)
    if (json) return { file: path, tables, rows, journal: config.journalDir }
    return lines([
      `Backed up ${rows} rows of ${tables} tables to ${path}.`,
      `It does not include clicks that are not imported yet: they are in ${config.journalDir}.`,
    ])
  },
})

export const restoreDatabase = defineCommand({
  summary: 'restore a backup to a database without accounts; stop the service first',
  required: { file: 'the backup file' },
  operands: ['file'],
  async run({ databaseUrl, json }, { file }) {
    const target = { databaseUrl: await databaseUrl({ creates: true }), file: resolve(file) }
    const { manifest, migrated } = await restore(target)
    const { tables, rows } = countContents(manifest)
    const madeAt = manifest.createdAt
    if (json) return { madeAt, tables, rows, migrated }
    return lines([
      `Restored ${rows} rows of ${tables} tables from the backup of ${madeAt}.`,
      ...migrated.map((name) => `Applied migration ${name}.`),
    ])
  },
})

function countContents({ tables }: Manifest): { tables: number; rows: number } {
  return { tables: tables.length, rows: tables.reduce((sum, { rows }) => sum + rows, 0) }
}

async function* lines(texts: readonly string[]): AsyncGenerator<string> {
  for (const text of texts) yield `${text}\n`
}
