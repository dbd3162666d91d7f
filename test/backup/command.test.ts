import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { childEnvironment } from '../../src/config.ts'
import { contentOf, countAll, filledDatabase } from '../support/filled-database.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'brevis-backup-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

describe('npx brevis', () => {
  test('backup and restore carry a database over to another server', async () => {
    const source = await filledDatabase()
    const place = join(folder, 'by-command')
    const made = await brevis(['backup', place], { DATABASE_URL: source })
    const expected = await contentOf(source)
    const [tables, rows] = [expected.size, countAll(expected)]
    expect(made).toEqual({
      code: 0,
      stderr: '',
      stdout:
        `${rows} rows of ${tables} tables are in ${place}.\nClicks that are not imported yet ` +
        `are not in it: they are in ${join(folder, 'data', 'journal')}.\n`,
    })

    // The embedded server of a new data folder.
    const dataDir = await mkdtemp(join(folder, 'embedded-'))
    const embedded = { DATABASE_URL: '', DATA_DIR: dataDir }
    const back = await brevis(['restore', place, '--json'], embedded)
    expect(back).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse(back.stdout)).toMatchObject({ tables, rows, migrated: [] })
    const second = await brevis(['backup', join(folder, 'second'), '--json'], embedded)
    expect(JSON.parse(second.stdout)).toEqual({
      file: join(folder, 'second'),
      tables,
      rows,
      journal: join(dataDir, 'journal'),
    })
  }, 120_000)

  test('restore says in one line what it refuses', async () => {
    const DATABASE_URL = await filledDatabase()
    const file = join(folder, 'whole')
    expect(await brevis(['backup', file], { DATABASE_URL })).toMatchObject({ code: 0 })
    expect(await brevis(['restore', file], { DATABASE_URL })).toEqual({
      code: 1,
      stdout: '',
      stderr: 'brevis: The database has accounts. Restore into an empty one.\n',
    })
    expect(await brevis(['restore'], { DATABASE_URL })).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^brevis: .*missing required argument 'file'.*\n$/),
    })
  })
})

const cli = fileURLToPath(new URL('../../src/cli.ts', import.meta.url))

/** Runs the command line as a process of its own. */
function brevis(
  args: readonly string[],
  settings: Record<string, string>,
): Promise<{ code: number; stdout: string; stderr: string }> {
  // Vitest sets a BASE_URL of its own.
  const env = childEnvironment({ BASE_URL: '', DATA_DIR: join(folder, 'data'), ...settings })
  return new Promise((resolve) => {
    execFile(process.execPath, [cli, ...args], { cwd: folder, env }, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr })
    })
  })
}
