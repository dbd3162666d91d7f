import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const SOURCE = join(import.meta.dirname, '../../src')
const STATEMENT = /\bsql(<[^`]*>)?`|\.(selectFrom|insertInto|updateTable|deleteFrom|mergeInto)\(/

test('SQL statements are only in *.queries.ts files and db/transaction.ts', async () => {
  const files = (await readdir(SOURCE, { recursive: true })).filter((file) => /\.ts$/.test(file))
  const found: string[] = []
  for (const file of files) {
    if (/\.(queries|test)\.ts$/.test(file)) continue
    if (STATEMENT.test(await readFile(join(SOURCE, file), 'utf8'))) found.push(file)
  }
  expect(files.length).toBeGreaterThan(100)
  expect(found).toEqual([join('db', 'transaction.ts')])
})
