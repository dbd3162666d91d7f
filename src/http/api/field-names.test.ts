import type { Static } from '@sinclair/typebox'
import { expect, test } from 'vitest'
import { invalid, messageWith } from '../../errors.ts'
import { fieldNames } from './api-app.ts'
import { DomainUpdate, readDomainInput } from './domains.ts'
import { LinkCreate, LinkUpdate } from './link-schemas.ts'
import { readLinkInput } from './links.ts'

const schemas = [LinkCreate, LinkUpdate, DomainUpdate]
const names = [...new Set(schemas.flatMap(({ properties }) => Object.keys(properties)))]

test.each(names)('the API accepts %s and uses that name in errors', (name) => {
  const message = messageWith(fieldNames, invalid(findFieldPath(name), 'unknown'))
  expect(message).toBe(`${name} is not known`)
})

test('the map of field names contains only names that clients send', () => {
  const renamed = names
    .map((name) => [findFieldPath(name), name])
    .filter(([field, name]) => field !== name)
  expect(Object.fromEntries(renamed)).toEqual(fieldNames)
})

/** Returns the internal path of the field with this API name. */
function findFieldPath(name: string): string {
  const body: Static<typeof LinkCreate> & Static<typeof DomainUpdate> = {
    url: 'https://example.com/',
    [name]: 'sent',
  }
  const fields = listLeaves({ ...readLinkInput(body), ...readDomainInput(body) })
  return fields.find(([, value]) => value === 'sent')?.[0] ?? ''
}

/** Returns all values with their paths, including those of nested objects. */
function listLeaves(fields: object, prefix = ''): [path: string, value: unknown][] {
  return Object.entries(fields).flatMap(([name, value]) =>
    typeof value === 'object'
      ? listLeaves(value as object, `${prefix}${name}.`)
      : [[prefix + name, value] as [string, unknown]],
  )
}
