import { expect, test } from 'vitest'
import { foldCase } from '../text.ts'
import { parseTags } from './tag.service.ts'

test('tags are trimmed, normalized and deduplicated in order, ignoring case', () => {
  expect(parseTags('tags', [' Summer ', 'SALE', 'summer', 'Cafe\u0301', 'CAFÉ'])).toEqual([
    { name: 'Summer', key: 'summer' },
    { name: 'SALE', key: 'sale' },
    { name: 'Café', key: 'café' },
  ])
})

test.each([
  ['', 'must not be empty'],
  [' \n ', 'must not be empty'],
  ['a\u0007b', 'must not contain control characters'],
  ['a\nb', 'must not contain control characters'],
  ['a\u2028b', 'must not contain control characters'],
  ['a\0b', 'must be text without NUL'],
  ['\ud800', 'must be text without NUL characters or broken surrogates'],
  ['x'.repeat(51), 'must be at most 50 characters long'],
])('the tags %j are rejected', (name, problem) => {
  expect(() => parseTags('tags', ['fine', name])).toThrow(`tags[1] ${problem}`)
})

test('tags may have fifty characters, whatever their size in bytes, and links twenty tags', () => {
  expect(parseTags('tags', ['😀'.repeat(50)])).toHaveLength(1)
  const names = Array.from({ length: 21 }, (_, index) => `tag ${index}`)
  expect(parseTags('tags', [...names.slice(1), 'TAG 1'])).toHaveLength(20)
  expect(() => parseTags('tags', names)).toThrow('tags must have at most 20 entries')
})

test('tags ignore case in every script', () => {
  expect(foldCase('ÄÖÜ ΣΊΣΥΦΟΣ Ж')).toBe(foldCase('äöü σίσυφος ж'))
  expect(foldCase('İ')).toBe(foldCase('İ'.normalize('NFD')))
})
