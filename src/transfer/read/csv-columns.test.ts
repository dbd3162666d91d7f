import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { detectMapping, NAMES } from './csv-columns.ts'

test('the guide lists the name of every column', () => {
  const guide = readFileSync(new URL('../../../docs/moving.md', import.meta.url), 'utf8')
  const names = Object.values(NAMES).flatMap((list) => list.split(' ').filter(Boolean))
  expect(names.filter((name) => !guide.includes(`\`${name}\``))).toEqual([])
})

test('a column has one field, and a field has one column', () => {
  expect(detectMapping(['Slug', 'URL', 'Expires', 'Valid until', 'Notes', ''])).toEqual([
    'alias',
    'url',
    'expiresAt',
    'restriction',
    undefined,
    undefined,
  ])
})

test.for([
  ['Password protected', 'restriction'],
  ['expires_in_clicks', 'restriction'],
  ['Visit limit per day', 'restriction'],
  ['deepLinks', 'restriction'],
  ['iPad URL', 'restriction'],
  ['Last click by country', undefined],
  ['Archived by', undefined],
  ['Geo name', undefined],
  ['Mobile clicks', undefined],
  ['Notes', undefined],
  ['utm_source', undefined],
] as const)('the column %s restricts links: %s', ([name, field]) => {
  expect(detectMapping([name])).toEqual([field])
})
