import { expect, test } from 'vitest'
import { splitStatements } from './migrate.queries.ts'

test('a script is split into statements at semicolons', () => {
  expect(splitStatements('create table a (b int);\n\ndrop table a;\n')).toEqual([
    'create table a (b int)',
    'drop table a',
  ])
  expect(splitStatements('select 1; select 2')).toEqual(['select 1', 'select 2'])
})

test.for([
  [`select 'a;b', 'it''s; so'`],
  ['select 1 as "a;b"'],
  ['do $$ begin null; end $$'],
  ['do $a$ begin perform $b$ ; $b$; perform 1; end $a$'],
  ['select 1 -- not; yet'],
  ['select /* not; yet */ 1'],
  ['select 1 - 2 / 3'],
] as const)('the statement %j is not split', ([text]) => {
  expect(splitStatements(`${text}\n;select 2`)).toEqual([text, 'select 2'])
})

test('comments and empty statements are skipped', () => {
  expect(splitStatements('')).toEqual([])
  expect(splitStatements(' ; ;\n-- the end;\n/* of; it */')).toEqual([])
  expect(splitStatements('-- first\nselect 1;')).toEqual(['-- first\nselect 1'])
})
