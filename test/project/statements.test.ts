import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const SOURCE = join(import.meta.dirname, '../../src')
/** The surfaces, and rooms without a database: they call services. */
const WITHOUT =
  /^(?:cli|doctor|edge|embedded-postgres|files|http|importer|mail|net|pages|process|visitors)\/|^[\w-]+\.ts$/
const STATEMENT = /\bsql(<[^`]*>)?`|\.(selectFrom|insertInto|updateTable|deleteFrom|mergeInto)\(/

test('SQL statements are only in services and *.queries.ts files', async () => {
  const files = (await readdir(SOURCE, { recursive: true })).filter((file) => /\.ts$/.test(file))
  const found: string[] = []
  for (const file of files) {
    if (/\.test\.ts$/.test(file) || !WITHOUT.test(file)) continue
    if (STATEMENT.test(await readFile(join(SOURCE, file), 'utf8'))) found.push(file)
  }
  expect(files.length).toBeGreaterThan(100)
  expect(found).toEqual([])
})
