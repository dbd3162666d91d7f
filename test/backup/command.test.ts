import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { runProcess } from '../support/command.ts'
import { countContentRows, createFilledDatabase, readContent } from '../support/filled-database.ts'
import { folderTest } from '../support/test.ts'

const test = folderTest()

describe('npx brevis', () => {
  test('copies a database to another server with backup and restore', async ({ folder }) => {
    // If run by root, PostgreSQL runs as another user.
    await chmod(folder, 0o755)
    const source = await createFilledDatabase()
    const backupPath = join(folder, 'by-command')
    const created = await runProcess(['backup', backupPath], {
      env: { DATABASE_URL: source, DATA_DIR: join(folder, 'data') },
    })
    const expected = await readContent(source)
    const tables = expected.size
    const rows = countContentRows(expected)
    expect(created).toEqual({
      code: 0,
      stderr: '',
      stdout:
        `Backed up ${rows} rows of ${tables} tables to ${backupPath}.\nIt does not include clicks that ` +
        `are not imported yet: they are in ${join(folder, 'data', 'journal')}.\n`,
    })

    // The embedded server of a new data folder.
    const dataDir = join(folder, 'embedded')
    const embedded = { env: { DATA_DIR: dataDir } }
    const restored = await runProcess(['restore', backupPath, '--json'], embedded)
    expect(restored).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse(restored.stdout)).toMatchObject({ tables, rows, migrated: [] })
    const secondBackup = await runProcess(['backup', join(folder, 'second'), '--json'], embedded)
    expect(JSON.parse(secondBackup.stdout)).toEqual({
      file: join(folder, 'second'),
      tables,
      rows,
      journal: join(dataDir, 'journal'),
    })
  }, 120_000)
})
