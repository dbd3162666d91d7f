import { sql } from 'kysely'
import { expect } from 'vitest'
import { inPipeline, together } from '../../src/db/pipeline.ts'
import { openDatabase } from '../../src/db/pool.ts'
import type { Tx } from '../../src/db/transaction.ts'
import { appTest } from '../support/test.ts'

const test = appTest().extend('db', { scope: 'file' }, async ({ app }, { onCleanup }) => {
  const database = openDatabase({ url: app.databaseUrl, name: 'test', max: 1, pipeline: true })
  onCleanup(database.close)
  await database.pool.query('create table seen (id serial, text text not null unique)')
  return database.db
})

const insert = (tx: Tx, text: string | null) =>
  sql<{ id: number }>`insert into seen (text) values (${text}) returning id`.execute(tx)

test('statements that are asked for together are done in their order, as one', async ({ db }) => {
  const texts = ['a', 'b', 'c']
  const results = await inPipeline(db, (tx) => together(texts.map((text) => insert(tx, text))))
  expect(results.map(({ rows }) => rows[0]?.id)).toEqual([1, 2, 3])
  const { rows } = await sql`select distinct xmin::text from seen`.execute(db)
  expect(rows).toHaveLength(1)
})

test('where one fails nothing of them is kept, and what failed first is thrown', async ({ db }) => {
  const failing = inPipeline(db, (tx) =>
    together([insert(tx, 'before'), insert(tx, null), insert(tx, 'after')]),
  )
  await expect(failing).rejects.toMatchObject({ code: '23502' })
  const { rows } = await sql`select from seen where text in ('before', 'after')`.execute(db)
  expect(rows).toEqual([])
})

test('what is asked for when the transaction has failed is not done outside of it', async ({
  db,
}) => {
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  let late: Promise<unknown> | undefined
  const failing = inPipeline(db, async (tx) => {
    late = ended.then(() => insert(tx, 'late'))
    late.catch(() => {})
    await insert(tx, 'early')
    throw new Error('given up')
  })
  await expect(failing).rejects.toThrow('given up')
  end()
  await expect(late).rejects.toThrow('the transaction is over')
  const { rows } = await sql`select from seen where text in ('early', 'late')`.execute(db)
  expect(rows).toEqual([])
})
