import { expect, test } from 'vitest'
import { invalid, messageWith } from '../../errors.ts'
import { parsePath } from './grammar.ts'
import { readLinkInput } from './operations.ts'
import { fieldNames } from './reply.ts'

const sentValue = '2099-12-31'
const names = ['password', 'custom_url', 'expiry_date', 'base_domain']

test.each(names)('the legacy API accepts %s and uses that name in errors', (name) => {
  expect(messageWith(fieldNames, invalid(findField(name), 'unknown'))).toBe(`${name} is not known`)
})

test('the map of field names contains only names that clients send', () => {
  const renamed = names
    .map((name) => [findField(name), name])
    .filter(([field, name]) => field !== name)
  expect(Object.fromEntries(renamed)).toEqual(fieldNames)
})

/** Returns the internal name of the field that has this name in the API. */
function findField(name: string): string {
  const call = parsePath(`create/url/YWJj/${name}/${sentValue}.json`)
  const fields = call.operation === 'create' ? Object.entries(readLinkInput(call)) : []
  return fields.find(([, value]) => value === sentValue)?.[0] ?? ''
}
