import { describe, expect, test } from 'vitest'
import { createQrPayload, type QrType } from './payload.ts'
import { readPayload } from './read-payload.ts'

const HOSTILE = 'a;b:c,d\\e"f\\;%41&=+?#😀'

/** Contents as entered in a form, and some that only the API can create. */
const cases: readonly [QrType, Record<string, string>][] = [
  ['email', { email: 'a+b%c@example.com', subject: HOSTILE, message: `${HOSTILE}\nmore` }],
  ['email', { email: 'a@example.com', subject: '', message: '' }],
  ['phone', { phone: '+1-(555)*7#' }],
  ['sms', { phone: '+1555', message: `${HOSTILE}:\n` }],
  ['wifi', { ssid: ';,":\\x', encryption: 'wpa', password: HOSTILE, hidden: 'true' }],
  ['wifi', { ssid: 'Café\\', encryption: 'none', password: '', hidden: '' }],
  ['wifi', { ssid: 'new', encryption: 'sae', password: '12345', hidden: '' }],
  ['wifi', { ssid: 'old', encryption: 'wep', password: '12345', hidden: '' }],
]

test.each(cases)('a payload of type %s is parsed into its fields: %j', (type, parts) => {
  expect(readPayload(type, createQrPayload(type, parts))).toEqual(parts)
})

describe('a vCard', () => {
  const parts = {
    fname: 'Ann;a',
    lname: 'B\\c',
    org: HOSTILE,
    title: 'Dr, med.',
    phone: '1',
    cell: '2',
    fax: '3',
    email: 'a@example.com',
    website: 'https://example.com/a,b;c',
    street: 'Way 1\nFlat 2',
    city: 'X',
    state: 'Y',
    zip: '0123',
    country: 'Z',
  }

  test('is parsed into its fields', () => {
    expect(readPayload('vcard', createQrPayload('vcard', parts))).toEqual(parts)
    const few = { fname: 'Ann' }
    expect(readPayload('vcard', createQrPayload('vcard', few))).toMatchObject({ ...few, city: '' })
  })

  test('with further content is returned whole', () => {
    const card = 'BEGIN:VCARD\r\nVERSION:4.0\r\nFN:Ann\r\nBDAY:20000101\r\nEND:VCARD\r\n'
    expect(readPayload('vcard', createQrPayload('vcard', card))).toEqual({ card })
  })
})

test.each(['email', 'phone', 'sms', 'wifi', 'vcard'] as const)(
  'any text is read as %s content without an error',
  (type) => {
    for (const text of ['', '\\', 'mailto:%', 'WIFI:;;\\', ':', '%zz?&&=', '\n']) {
      expect(Object.values(readPayload(type, text)).every((part) => typeof part === 'string')).toBe(
        true,
      )
    }
  },
)

test('the payloads of texts and URLs are returned unchanged', () => {
  expect(readPayload('text', 'a:b')).toEqual({ text: 'a:b' })
  expect(readPayload('link', 'https://example.com/')).toEqual({ url: 'https://example.com/' })
})
