import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { runCommand } from '../support/command.ts'
import { emptyDatabase } from '../support/empty-database.ts'

test('`brevis account create` sets up an empty database, which other commands reject', async () => {
  const env = { DATABASE_URL: await emptyDatabase() }
  const account = ['--email', 'a@example.com', '--username', 'first', '--password', 'long enough']
  for (const args of [
    ['account', 'list'],
    ['publish', '/tmp/nowhere'],
    ['host', 'list'],
  ]) {
    expect(await runCommand(args, { env })).toEqual({
      code: 1,
      stdout: '',
      stderr: 'brevis: the database is empty: set DATABASE_URL or DATA_DIR as for the service\n',
    })
  }
  expect(await runCommand(['account', 'create', ...account], { env })).toMatchObject({ code: 0 })
  expect((await runCommand(['account', 'list'], { env })).stdout).toContain('first')
})

test('commands reject a data folder without a database, and leave it empty', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'brevis-wrong-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  for (const [dataDir, args] of [
    [folder, ['publish', join(folder, 'published')]],
    [join(folder, 'missing'), ['account', 'list']],
    [folder, ['backup', join(folder, 'backup')]],
  ] as const) {
    const outcome = await runCommand(args, { env: { DATA_DIR: dataDir } })
    expect([outcome.code, outcome.stderr]).toEqual([
      1,
      expect.stringContaining(`there is no database in DATA_DIR=${dataDir}: set DATA_DIR`),
    ])
  }
  expect(await readdir(folder)).toEqual([])
})
