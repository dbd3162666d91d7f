import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { expect, vi } from 'vitest'
import { ACCOUNT_TABLES, DISTRIBUTED_TABLES } from '../../src/clicks/storage/distribute.queries.ts'
import { appendAll, createClick } from '../support/click-journal.ts'
import { importTest } from '../support/imports.ts'

const SOURCE = join(import.meta.dirname, '../../src')
const TABLES = [...DISTRIBUTED_TABLES, ...ACCOUNT_TABLES].join('|')
/** Matches `insert into … on conflict …` as sent to the database. */
const SENT_UPSERT = new RegExp(
  `\\binsert into "?(${TABLES})"?[ (][^]*?\\bon conflict\\b([^]*)`,
  'i',
)
/** Match upserts in the source, written with the query builder or as SQL. */
const BUILDER_UPSERT = new RegExp(
  `\\.insertInto\\('(${TABLES})'\\)([^]*?)\\.(?:execute|compile)`,
  'g',
)
const SQL_UPSERT = new RegExp(`\\binsert into (${TABLES})\\b([^\`]*)\``, 'gi')

/** The tables of upserts that are not found in the source, because both tables share their SQL. */
const GENERATED_UPSERTS = ['uncounted_days', 'account_uncounted_days', 'account_uncounted_days']

const test = importTest()

test('upserts into distributed tables have no parameter after ON CONFLICT, because Citus loses its type', async ({
  createImport,
  makeLink,
}) => {
  const sent = new Set<string>()
  const sendQuery = pg.Client.prototype.query as (...values: unknown[]) => unknown
  vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...values) {
    const [query] = values as unknown as [string | { text?: string }]
    sent.add(typeof query === 'string' ? query : (query.text ?? ''))
    return sendQuery.apply(this, values)
  })
  const link = await makeLink()
  const { journal, drain } = createImport()
  // More visitors than fit in the link's own row, and again for a link that has rows.
  for (const first of [0, 1000]) {
    await appendAll(
      journal,
      Array.from({ length: 1000 }, (_, index) => createClick(link, first + index)),
    )
    await drain()
  }
  await appendAll(journal, [{ ...createClick(link, 0), userAgent: 'Googlebot/2.1' }])
  await drain()

  const upserts = [...sent].flatMap((text) => {
    const [, table = '', after = ''] = SENT_UPSERT.exec(text) ?? []
    return table === '' ? [] : { table, after }
  })
  expect(upserts.map(({ table }) => table).toSorted()).toEqual(
    [...(await findUpsertedTables()), ...GENERATED_UPSERTS].toSorted(),
  )
  for (const { table, after } of upserts) {
    expect(after, `the upsert of ${table}`).not.toMatch(/\$\d/)
  }
})

/** Returns the table of each upsert in the source, to verify that the test covers all of them. */
async function findUpsertedTables(): Promise<string[]> {
  const files = await readdir(SOURCE, { recursive: true })
  const tables: string[] = []
  for (const file of files.filter((name) => name.endsWith('.queries.ts'))) {
    const text = await readFile(join(SOURCE, file), 'utf8')
    for (const [, table = '', rest = ''] of [
      ...text.matchAll(BUILDER_UPSERT),
      ...text.matchAll(SQL_UPSERT),
    ]) {
      if (/\bonConflict\b|\bon conflict\b/i.test(rest)) tables.push(table)
    }
  }
  return tables.toSorted()
}
