import { resolve } from 'node:path'
import { backUp } from '../backup/back-up.ts'
import type { Manifest } from '../backup/manifest.ts'
import { restore } from '../backup/restore.ts'
import { systemClock } from '../clock.ts'
import { command } from './command.ts'

export const backUpDatabase = command({
  summary: 'write everything in the database to a file, while the service runs',
  required: { file: 'where to; an older backup there is replaced by the complete new one' },
  operands: ['file'],
  async run({ config, databaseUrl, json }, { file }) {
    const path = resolve(file)
    const now = systemClock()
    const manifest = await backUp({ databaseUrl: await databaseUrl(), file: path, now })
    const { tables, rows } = countContents(manifest)
    if (json) return { file: path, tables, rows, journal: config.journalDir }
    return lines([
      `${rows} rows of ${tables} tables are in ${path}.`,
      `Clicks that are not imported yet are not in it: they are in ${config.journalDir}.`,
    ])
  },
})

export const restoreDatabase = command({
  summary: 'put a backup into a database without accounts, while the service does not run',
  required: { file: 'the backup' },
  operands: ['file'],
  async run({ databaseUrl, json }, { file }) {
    const target = { databaseUrl: await databaseUrl(), file: resolve(file) }
    const { manifest, migrated } = await restore(target)
    const { tables, rows } = countContents(manifest)
    const madeAt = manifest.createdAt
    if (json) return { madeAt, tables, rows, migrated }
    return lines([
      `${rows} rows of ${tables} tables are back, as they were at ${madeAt}.`,
      ...migrated.map((name) => `Migration ${name} was applied to them.`),
    ])
  },
})

function countContents({ tables }: Manifest): { tables: number; rows: number } {
  return { tables: tables.length, rows: tables.reduce((sum, { rows }) => sum + rows, 0) }
}

async function* lines(texts: readonly string[]): AsyncGenerator<string> {
  for (const text of texts) yield `${text}\n`
}
