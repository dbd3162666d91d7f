import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { generateTables, TABLES_FILE } from '../../scripts/generate-tables.ts'
import { databaseForTest } from '../support/database.ts'

const ROOT = new URL('../../', import.meta.url)

test('tables.generated.ts is up to date: `npm run tables` writes it', async () => {
  const { url } = await databaseForTest()
  expect(await readText(TABLES_FILE)).toBe(await generateTables(url))
})

test('column-types.ts describes columns that exist', async () => {
  const generated = await readText(TABLES_FILE)
  const byHand = await readText('src/db/column-types.ts')
  const names = [...byHand.matchAll(/'\w+\.\w+'/g)].map(([name]) => name)
  expect(names.length).toBeGreaterThan(10)
  expect(names.filter((name) => !generated.includes(`<${name}>`))).toEqual([])
})

function readText(path: string): Promise<string> {
  return readFile(new URL(path, ROOT), 'utf8')
}
