import { once } from 'node:events'
import { sql } from 'kysely'
import { expect, vi } from 'vitest'
import { commandLine, startProcess } from '../support/command.ts'
import { openPatiently } from '../support/database.ts'
import { appTest } from '../support/test.ts'
import { createFile, createTransferCommands, jsonl } from '../support/transfer.ts'

const test = appTest()
const ROWS = 5000

test('a second import of the same file into an account is rejected while the first runs', async ({
  app,
  make,
}) => {
  const owner = await make.owner()
  const { import: importFile, runFailingImport } = createTransferCommands(app, owner)
  const file = await createFile(
    jsonl({ alias: 'once', url: 'https://example.com/' }),
    'links.jsonl',
  )
  const { db } = app.services.database
  const first = await db.transaction().execute(async (tx) => {
    // Blocks the import in the middle of its only batch.
    await sql`lock table links in share mode`.execute(tx)
    const running = importFile(file, 'jsonl')
    const importStarted = db
      .selectFrom('imports')
      .select('id')
      .where('account_id', '=', owner.account.id)
    await vi.waitUntil(async () => (await importStarted.execute()).length > 0, { timeout: 60_000 })
    expect(await runFailingImport(file, 'jsonl')).toContain(
      'file is being imported into this account by another command already',
    )
    return { running }
  })
  expect(await first.running).toMatchObject({ created: 1 })
  expect(await importFile(file, 'jsonl')).toMatchObject({ created: 0, present: 1 })
})

test.for(['SIGKILL', 'SIGTERM', 'SIGINT'] as const)(
  'an import interrupted by %s and repeated has every row once',
  async (signal, { app, make, onTestFinished }) => {
    const database = openPatiently(app.databaseUrl)
    onTestFinished(() => database.close())
    const owner = await make.owner()
    const records = Array.from({ length: ROWS }, (_, index) => ({
      alias: `${signal}-${index}`,
      url: index === 7 || index === ROWS - 7 ? 'nowhere' : `https://example.com/${index}`,
      tags: ['moved'],
      clicks: 2,
    }))
    const file = await createFile(jsonl(...records), 'links.jsonl')
    const args = ['import', file, '--from', 'jsonl', '--account', owner.account.email]
    const child = startProcess(args, commandLine(app).settings())
    const countImportedRows = async () => {
      const { rows } = await database.pool.query<{ rows: number }>(
        'select rows from imports where account_id = $1',
        [owner.account.id],
      )
      return rows[0]?.rows ?? 0
    }
    const exited = once(child, 'exit')
    await vi.waitUntil(async () => (await countImportedRows()) > 0, {
      timeout: 60_000,
      interval: 5,
    })
    child.kill(signal)
    await exited
    const before = await countImportedRows()
    expect(before).toBeGreaterThan(0)
    expect(before).toBeLessThan(ROWS)

    const report = await createFile('', 'report.csv')
    const repeated = await createTransferCommands(app, owner).import(
      file,
      'jsonl',
      '--report',
      report,
    )
    const created = ROWS - 2 - (before - 1)
    expect(repeated).toMatchObject({ rows: ROWS, created, present: before - 1, refused: 2 })
    expect(repeated.problems.map(({ row }: { row: number }) => row)).toEqual([8, ROWS - 6])
    const { rows } = await database.pool.query(
      `select count(*)::int as links, count(distinct alias)::int as aliases,
       (select sum(clicks)::int from click_totals where link_id = any(array_agg(id))) as clicks,
       (select count(*)::int from link_tags where link_id = any(array_agg(id))) as tags
     from links where account_id = $1`,
      [owner.account.id],
    )
    expect(rows).toEqual([
      { links: ROWS - 2, aliases: ROWS - 2, clicks: 2 * (ROWS - 2), tags: ROWS - 2 },
    ])
    expect(await createTransferCommands(app, owner).check()).toContain('agree')
  },
)
