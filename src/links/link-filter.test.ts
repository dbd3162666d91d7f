import { expect, test } from 'vitest'
import { readCriteria, toSearchTerms } from './link-filter.ts'

test.each([
  ['Shop/A%20b', { text: 'shop/a%20b', encoded: undefined, uppercase: '', lowercase: '' }],
  ['MÄRZ', { text: 'märz', encoded: 'm%c3%a4rz', uppercase: 'Ä', lowercase: 'ä' }],
  ['ΣΑΣ', { text: 'σασ', encoded: '%cf%83%ce%b1%cf%83', uppercase: 'ΣςΑ', lowercase: 'σσα' }],
  ['M%C3%84RZ', { text: 'märz', encoded: 'm%c3%84rz', uppercase: 'Ä', lowercase: 'ä' }],
  ['ß 日', { text: 'ß 日', encoded: '%c3%9f%20%e6%97%a5', uppercase: '', lowercase: '' }],
])('a search for %s has the criteria %j', (input, terms) => {
  expect(toSearchTerms(input)).toEqual(terms)
})

test('a filter ignores criteria of spaces, and the case of tags', () => {
  expect(readCriteria({ search: ' ', tag: '\t', state: undefined })).toBeUndefined()
  expect(readCriteria({ tag: ' SALE ', state: 'expired' })).toEqual({
    tagKey: 'sale',
    state: 'expired',
  })
})
