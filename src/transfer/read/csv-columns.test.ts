import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { detectMapping, NAMES } from './csv-columns.ts'
import { isRestricting, restricts } from './restriction.ts'

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
  ['Allowed countries', 'restriction'],
  ['Country URL', 'restriction'],
  ['Targeting by country', 'restriction'],
  ['Clicks remaining', 'restriction'],
  ['Account protected', 'restriction'],
  ['Expires? (UTC)', 'restriction'],
  ['Kennwort', 'restriction'],
  ['Gültig bis', 'restriction'],
  ['Désactivé', 'restriction'],
  ['Contraseña', 'restriction'],
  ['Active?', 'enabled'],
  ['Retargeting', undefined],
  ['Discount', undefined],
  ['Last click by country', undefined],
  ['Archived by', undefined],
  ['Geo name', undefined],
  ['Mobile clicks', undefined],
  ['Notes', undefined],
  ['utm_source', undefined],
] as const)('the column %s restricts links: %s', ([name, field]) => {
  expect(detectMapping([name])).toEqual([field])
})

test.for<[name: string, value: unknown, restricts: boolean]>([
  ['state', 'inactive', true],
  ['State', 'Deaktiviert', true],
  ['State', 'Bavaria', false],
  ['isActive', false, true],
  ['enabled', 0, true],
  ['Aktiv', 'Nein', true],
  ['active', 'yes', false],
  ['url_ios', 'https://ios.example/', true],
  ['Redirect (Android)', 'app://android', true],
  ['Fallback', 'example.com/else', true],
  ['Mobile', '12', false],
  ['expires', '[NULL]', false],
  ['expires', 'forever', false],
])('the field %s with %j restricts the link: %s', ([name, value, expected]) => {
  expect(isRestricting(name) && restricts(name, value)).toBe(expected)
})

test('a long name that begins like another destination is searched in linear time', () => {
  expect(isRestricting('other'.repeat(250_000))).toBe(false)
})
