import { resolve } from 'node:path'
import { backUp } from '../backup/back-up.ts'
import type { Manifest } from '../backup/manifest.ts'
import { restore } from '../backup/restore.ts'
import { systemClock } from '../clock.ts'
import { defineCommand } from './command.ts'

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
