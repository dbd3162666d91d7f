import type { QrType } from './payload.ts'
import { createVcardPayload } from './vcard.ts'

/** The fields of a code's content, with the names that `createQrPayload` accepts. */
export type QrParts = Readonly<Record<string, string>>

/**
 * Parses a result of `createQrPayload`. Returns `url` for `link`, `text` for `text`, and the fields
 * of the data for other types. A vCard with content that does not fit these fields is returned
 * unchanged as `card`. A field that the payload lacks is empty.
 */
export function readPayload(type: QrType, payload: string): QrParts {
  switch (type) {
    case 'link':
      return { url: payload }
    case 'text':
      return { text: payload }
    case 'email':
      return readEmail(payload)
    case 'phone':
      return { phone: payload.replace(/^tel:/, '').replaceAll('%23', '#') }
    case 'sms':
      return readSms(payload)
    case 'wifi':
      return readWifi(payload)
    case 'vcard':
      return readCard(payload)
  }
}

function readEmail(payload: string): QrParts {
  const [, address = '', query = ''] = /^mailto:([^?]*)\??(.*)$/s.exec(payload) ?? []
  const parts = new Map(query.split('&').map((part) => splitOnce(part, '=')))
  return {
    email: decode(address),
    subject: decode(parts.get('subject') ?? ''),
    message: decode(parts.get('body') ?? '').replaceAll('\r\n', '\n'),
  }
}

function readSms(payload: string): QrParts {
  const [phone, message] = splitOnce(payload.replace(/^SMSTO:/, ''), ':')
  return { phone, message }
}

function readWifi(payload: string): QrParts {
  const fields = new Map(
    splitUnescaped(payload.replace(/^WIFI:/, ''), ';').map((part) => splitOnce(part, ':')),
  )
  const kinds: QrParts = { WPA: 'wpa', SAE: 'sae', WEP: 'wep', nopass: 'none' }
  return {
    ssid: unescapeAll(fields.get('S') ?? ''),
    encryption: kinds[fields.get('T') ?? ''] ?? '',
    password: unescapeAll(fields.get('P') ?? ''),
    hidden: fields.get('H') === 'true' ? 'true' : '',
  }
}

function readCard(payload: string): QrParts {
  const lines = new Map(payload.split('\r\n').map((line) => splitOnce(line, ':')))
  const list = (name: string) => splitUnescaped(lines.get(name) ?? '', ';').map(unescapeText)
  const text = (name: string) => unescapeText(lines.get(name) ?? '')
  const [lname = '', fname = ''] = list('N')
  const [, , street = '', city = '', state = '', zip = '', country = ''] = list('ADR;TYPE=WORK')
  const parts = {
    fname,
    lname,
    org: text('ORG'),
    title: text('TITLE'),
    phone: text('TEL;TYPE=WORK,VOICE'),
    cell: text('TEL;TYPE=CELL'),
    fax: text('TEL;TYPE=FAX'),
    email: text('EMAIL;TYPE=INTERNET'),
    website: lines.get('URL') ?? '',
    street,
    city,
    state,
    zip,
    country,
  }
  return reproduces(parts, payload) ? parts : { card: payload }
}

/** Returns whether the fields reproduce the payload. */
function reproduces(parts: QrParts, payload: string): boolean {
  try {
    return createVcardPayload(parts) === payload
  } catch {
    return false
  }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function splitOnce(text: string, separator: string): [before: string, after: string] {
  const at = text.indexOf(separator)
  return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}

/** Splits at separators that are not preceded by a backslash. */
function splitUnescaped(text: string, separator: string): string[] {
  const parts = text.match(new RegExp(`(?:\\\\.|[^\\\\${separator}])*(?:${separator}|$)`, 'gs'))
  return (parts ?? []).map((part) => (part.endsWith(separator) ? part.slice(0, -1) : part))
}

function unescapeAll(text: string): string {
  return text.replace(/\\(.)/gs, '$1')
}

/** Reverses the escaping of RFC 2426, section 4. */
function unescapeText(text: string): string {
  return text.replace(/\\(.)/gs, (_, letter: string) => (/n/i.test(letter) ? '\n' : letter))
}
