import { expect, test } from 'vitest'
import { createDnsRecord } from './dns-state.ts'

test.each([
  ['https://brev.example', 'CNAME', 'brev.example'],
  ['http://192.0.2.7:3000', 'A', '192.0.2.7'],
  ['http://[2001:db8::7]:3000', 'AAAA', '2001:db8::7'],
])('the record for a service at %s has the type %s and the value %s', (baseUrl, type, value) => {
  expect(createDnsRecord(new URL(baseUrl))).toEqual({ type, value })
})
