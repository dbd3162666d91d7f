import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { AppError } from '../../errors.ts'
import { createQrPayload, type QrType, qrTypes } from './payload.ts'

describe('a payload', () => {
  test.each<[QrType, unknown, string]>([
    ['text', ' Grüße\n\t日本語 ', ' Grüße\n\t日本語 '],
    ['text', 12345, '12345'],
    ['link', 'https://example.com', 'https://example.com/'],
    ['link', '  HTTP://Exämple.com:80/a b?q=ü#f ', 'http://xn--exmple-cua.com/a%20b?q=%C3%BC#f'],
    ['email', 'jo@example.com', 'mailto:jo@example.com'],
    ['email', 'a+b%c@exämple.com', 'mailto:a+b%25c@ex%C3%A4mple.com'],
    ['email', { email: 'jo@example.com', subject: null, message: '' }, 'mailto:jo@example.com'],
    [
      'email',
      { email: 'jo@example.com', subject: 'Q&A = 1+1?', message: 'Hé,\nyou' },
      'mailto:jo@example.com?subject=Q%26A%20%3D%201%2B1%3F&body=H%C3%A9%2C%0D%0Ayou',
    ],
    [
      'email',
      { email: 'jo@example.com', message: 'a\r\nb' },
      'mailto:jo@example.com?body=a%0D%0Ab',
    ],
    ['phone', '+1 (555) 010-9999', 'tel:+1(555)010-9999'],
    ['phone', { phone: 5550100 }, 'tel:5550100'],
    ['phone', '*123#', 'tel:*123%23'],
    ['sms', '+15550100', 'SMSTO:+15550100:'],
    ['sms', { phone: '+15550100', message: 'a:b;c' }, 'SMSTO:+15550100:a:b;c'],
    [
      'wifi',
      { ssid: 'Home', encryption: 'wpa', password: 'secret', hidden: true },
      'WIFI:T:WPA;S:Home;P:secret;H:true;;',
    ],
    [
      'wifi',
      { ssid: 'a;b,c:d"e\\f', encryption: 'WEP', password: '\\;' },
      'WIFI:T:WEP;S:a\\;b\\,c\\:d\\"e\\\\f;P:\\\\\\;;;',
    ],
    ['wifi', { ssid: 'a', encryption: 'WPA2', password: 'b' }, 'WIFI:T:WPA;S:a;P:b;;'],
    ['wifi', { ssid: 'a', encryption: 'WPA3', password: 'b' }, 'WIFI:T:WPA;S:a;P:b;;'],
    ['wifi', { ssid: 'a', encryption: 'wpa/wpa2', password: 'b' }, 'WIFI:T:WPA;S:a;P:b;;'],
    ['wifi', { ssid: 'a', encryption: 'SAE', password: 'b' }, 'WIFI:T:SAE;S:a;P:b;;'],
    ['wifi', { ssid: 'a', encryption: 'nopass' }, 'WIFI:T:nopass;S:a;;'],
    ['wifi', { ssid: 'Cafe', encryption: 'None', password: 'x' }, 'WIFI:T:nopass;S:Cafe;;'],
    ['wifi', { ssid: 'Cafe' }, 'WIFI:T:nopass;S:Cafe;;'],
    ['wifi', { ssid: ' a ', password: 12345678, hidden: 'FALSE' }, 'WIFI:T:WPA;S: a ;P:12345678;;'],
    ['vcard', 'BEGIN:VCARD\nVERSION:4.0\nEND:VCARD', 'BEGIN:VCARD\nVERSION:4.0\nEND:VCARD'],
  ])('of type %s is created from %j', (type, data, payload) => {
    expect(createQrPayload(type, data)).toBe(payload)
    expect(createQrPayload(type, [data])).toBe(payload)
  })

  test('of type vcard is a vCard 3.0 with every field', () => {
    const contact = {
      fname: 'Zoë',
      lname: 'van der Berg; jr.',
      org: 'A, B & C',
      title: 'R\\D',
      phone: '+1 555 0100',
      cell: '+1 555 0101',
      fax: '+1 555 0102',
      email: 'zoe@example.com',
      website: 'www.example.com',
      street: '1 Main St\nFloor 2',
      city: 'Springfield',
      state: 'IL',
      zip: 62701,
      country: 'USA',
      unknown: 'ignored',
    }
    expect(createQrPayload('vcard', contact).split('\r\n')).toEqual([
      'BEGIN:VCARD',
      'VERSION:3.0',
      'N:van der Berg\\; jr.;Zoë;;;',
      'FN:Zoë van der Berg\\; jr.',
      'ORG:A\\, B & C',
      'TITLE:R\\\\D',
      'TEL;TYPE=WORK,VOICE:+1 555 0100',
      'TEL;TYPE=CELL:+1 555 0101',
      'TEL;TYPE=FAX:+1 555 0102',
      'EMAIL;TYPE=INTERNET:zoe@example.com',
      'URL:https://www.example.com',
      'ADR;TYPE=WORK:;;1 Main St\\nFloor 2;Springfield;IL;62701;USA',
      'END:VCARD',
      '',
    ])
  })

  test('of type vcard uses another field if the name is missing', () => {
    expect(createQrPayload('vcard', { org: 'ACME' })).toContain(
      '\r\nN:;;;;\r\nFN:ACME\r\nORG:ACME\r\n',
    )
    expect(createQrPayload('vcard', { phone: '123' })).toContain('\r\nFN:123\r\n')
  })

  test.each([
    ['https://example.com/a;b?x=1,2', 'https://example.com/a;b?x=1,2'],
    ['https://example.com', 'https://example.com'],
    ['https://example.com/ü?\\', 'https://example.com/%C3%BC?%5C'],
  ])('of type vcard contains the website %s as %s', (website, written) => {
    expect(createQrPayload('vcard', { fname: 'A', website })).toContain(`\r\nURL:${written}\r\n`)
  })

  test('of type wifi can be parsed into its fields', () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
    const ssid = text.filter((name) => name.trim() !== '' && Buffer.byteLength(name) <= 32)
    fc.assert(
      fc.property(ssid, text, (name, password) => {
        const payload = createQrPayload('wifi', { ssid: name, encryption: 'wpa', password })
        const parts = splitEscaped(payload.slice('WIFI:'.length))
        expect(parts).toEqual(['T:WPA', `S:${name}`, `P:${password}`, '', ''])
      }),
    )
  })

  test('of type vcard can be parsed into its fields', () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
    const field = text.map((value) => value.trim()).filter((value) => value !== '')
    fc.assert(
      fc.property(field, field, field, (fname, lname, street) => {
        const card = createQrPayload('vcard', { fname, lname, street: `${street}\n${street}` })
        const lines = card.split('\r\n')
        expect(splitEscaped(lines[2] ?? '')).toEqual([`N:${lname}`, fname, '', '', ''])
        expect(splitEscaped(lines[3] ?? '')).toEqual([`FN:${fname} ${lname}`])
        expect(splitEscaped(lines[4] ?? '').slice(3, 4)).toEqual([`${street}\n${street}`])
      }),
    )
  })
})

describe('createQrPayload', () => {
  test.each<[QrType, unknown, string]>([
    ['text', '', 'data is required'],
    ['text', undefined, 'data is required'],
    ['text', [], 'data must be a string'],
    ['text', ['a', 'b'], 'data must be a string'],
    ['text', [['a']], 'data must be a string'],
    ['text', { text: 'a' }, 'data must be a string'],
    ['text', true, 'data must be a string'],
    ['text', 1.5, 'data must be a string'],
    ['text', 'a\0b', 'data must not contain control characters'],
    ['text', 'a\u009bb', 'data must not contain control characters'],
    ['text', 'a\ud83d', 'data must be valid Unicode text'],
    ['text', 'a'.repeat(7090), 'data must have at most 7089 characters'],
    ['link', 'example.com', 'data must be an http or https URL'],
    ['link', 'javascript:alert(1)', 'data must be an http or https URL'],
    ['link', 'java\nscript:alert(1)', 'data must not contain control characters'],
    ['link', 'ftp://example.com/', 'data must be an http or https URL'],
    ['link', 'https://u:p@example.com/', 'data must not contain a user name or password'],
    ['link', { url: 'https://example.com/' }, 'data must be a string'],
    ['link', `https://example.com/${'a'.repeat(8192)}`, 'data must have at most 8192 characters'],
    ['email', 'jo', 'data must be an email address'],
    ['email', 'a@b.c, d@e.f', 'data must be an email address'],
    ['email', 'a@example.com?bcc=b@example.com', 'data must be an email address'],
    ['email', {}, 'data.email is required'],
    ['email', { email: 'jo@example.com', subject: 'a\r\nBcc: b' }, 'data.subject must not contain'],
    ['email', ['a@b.c', 'subject'], 'data must be an email address or an object'],
    ['phone', 'call me', 'data must be a phone number'],
    ['phone', '+', 'data must be a phone number'],
    ['phone', { number: '1' }, 'data.phone is required'],
    ['sms', { phone: '1:2' }, 'data.phone must be a phone number'],
    ['sms', { phone: '1', message: {} }, 'data.message must be a string'],
    ['wifi', 'Home', 'data must be an object with ssid'],
    ['wifi', null, 'data must be an object with ssid'],
    ['wifi', {}, 'data.ssid is required'],
    ['wifi', { ssid: 'ä'.repeat(17) }, 'data.ssid must have at most 32 bytes'],
    ['wifi', { ssid: 'a', encryption: 'wpa' }, 'data.password is required'],
    ['wifi', { ssid: 'a', encryption: 'SAE' }, 'data.password is required'],
    ['wifi', { ssid: 'a', encryption: 'wpa9', password: 'b' }, 'data.encryption must be wpa'],
    ['wifi', { ssid: 'a', encryption: 'toString' }, 'data.encryption must be wpa'],
    ['wifi', { ssid: 'a\n' }, 'data.ssid must not contain control characters'],
    ['wifi', { ssid: 'a', hidden: 'maybe' }, 'data.hidden must be true or false'],
    ['wifi', { ssid: 'a', hidden: { toString: 1 } }, 'data.hidden must be a string'],
    ['vcard', {}, 'data.fname is required'],
    ['vcard', 'Jo', 'data must be an object of contact fields or text'],
    ['vcard', 'BEGIN:VCARD\0', 'data must not contain control characters'],
    ['vcard', { fname: 'a\rEND:VCARD' }, 'data.fname must not contain control characters'],
    ['vcard', { fname: 'a', website: 'javascript:alert(1)' }, 'data.website must be an http'],
    ['vcard', { fname: 'a', website: 'mailto:a@b.c' }, 'data.website must be an http'],
    ['vcard', { fname: ['a'] }, 'data.fname must be a string'],
  ])('rejects %s data %j', (type, data, message) => {
    expect(() => createQrPayload(type, data)).toThrow(message)
    expect(() => createQrPayload(type, data)).toThrow(expect.objectContaining({ status: 400 }))
  })

  test('returns a payload or throws an AppError for any JSON value', () => {
    fc.assert(
      fc.property(fc.constantFrom(...qrTypes), fc.jsonValue(), (type, data) => {
        try {
          expect(createQrPayload(type, data)).not.toBe('')
        } catch (error) {
          expect(error).toBeInstanceOf(AppError)
        }
      }),
      { numRuns: 500 },
    )
  })
})

/** Splits at unescaped semicolons and unescapes the parts. */
function splitEscaped(text: string): string[] {
  const parts = ['']
  for (const [token] of text.matchAll(/\\.|[^\\]/gsu)) {
    if (token === ';') parts.push('')
    else parts.push(`${parts.pop()}${token === '\\n' ? '\n' : token.replace(/^\\/, '')}`)
  }
  return parts
}
