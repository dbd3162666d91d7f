import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ACCOUNT_TABLES, DISTRIBUTED_TABLES } from '../../src/clicks/storage/distribute.queries.ts'

const SOURCE = join(import.meta.dirname, '../../src')
const TABLES = [...DISTRIBUTED_TABLES, ...ACCOUNT_TABLES].join('|')
const JOIN = new RegExp(`\\.\\w+Join\\(\\s*'(${TABLES})(?: as (\\w+))?'`, 'g')
/** Matches SQL that joins a table of clicks with another table. */
const SQL_JOIN = new RegExp(`\\bjoin (lateral )?(${TABLES})\\b`, 'i')

const files = (await readdir(SOURCE, { recursive: true })).filter((file) =>
  file.endsWith('.queries.ts'),
)
const texts = new Map(
  await Promise.all(
    files.map(async (file) => [file, await readFile(join(SOURCE, file), 'utf8')] as const),
  ),
)

/**
 * Tables of clicks may be distributed. If a statement joins them with a local table and does not name
 * the links or accounts, Citus copies the local table completely for each statement.
 */
describe('joins of tables of clicks in the source', () => {
  const joins = [...texts].flatMap(([file, text]) =>
    [...text.matchAll(JOIN)].map((match) => {
      const [, table = '', alias = table] = match
      const before =
        text
          .slice(0, match.index)
          .split(/\n}\n|\n\n/)
          .at(-1) ?? ''
      const after = text.slice(match.index).split(/\n}\n/)[0] ?? ''
      return { name: `${table} in ${file}`, alias, before, after }
    }),
  )

  test('are all written with the query builder', () => {
    expect(joins.length).toBeGreaterThan(1)
    expect([...texts].filter(([, text]) => SQL_JOIN.test(text)).map(([file]) => file)).toEqual([])
  })

  test.for(joins)('are restricted to certain links or accounts: $name', (match) => {
    const { alias, before, after } = match
    const column = `${alias}\\.(link|account)_id`
    const joinsIds = new RegExp(`\\.on\\('${column}', '=', ids\\)`).test(after)
    // Matches joined values, or another table of clicks on the same machine restricted to one link.
    const joinsRequestedValues = /\.selectFrom\(requested\b.*\)\s*$/.test(before)
    const isNextToClickTable = new RegExp(`\\.selectFrom\\('(${TABLES})'\\)\\s*$`).test(before)
    const isRestrictedToLink = /\.where\('\w+\.link_id', '=', linkId\)/.test(after)
    expect(
      joinsIds || joinsRequestedValues || (isNextToClickTable && isRestrictedToLink),
      `${before}${after}`,
    ).toBe(true)
  })
})
