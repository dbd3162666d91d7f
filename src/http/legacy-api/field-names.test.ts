import { expect, test } from 'vitest'
import { invalid, messageWith } from '../../errors.ts'
import { fieldNames } from './field-names.ts'
import { parsePath } from './grammar.ts'
import { readLinkInput } from './link-input.ts'

const sent = '2099-12-31'
const names = ['password', 'custom_url', 'expiry_date', 'base_domain']

test.each(names)('accepts %s and uses that name in errors', (name) => {
  expect(messageWith(fieldNames, invalid(fieldOf(name), 'is wrong'))).toBe(`${name} is wrong`)
})

test('contains only names that clients send', () => {
  const read = names.map((name) => [fieldOf(name), name]).filter(([field, name]) => field !== name)
  expect(Object.fromEntries(read)).toEqual(fieldNames)
})

/** Returns the internal field with this name in the API. */
function fieldOf(name: string): string {
  const call = parsePath(`create/url/YWJj/${name}/${sent}.json`)
  const read = call.operation === 'create' ? Object.entries(readLinkInput(call)) : []
  return read.find(([, value]) => value === sent)?.[0] ?? ''
}
