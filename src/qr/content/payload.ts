import { checkAll, invalid } from '../../errors.ts'
import { hasCredentials, parseAllowedUrl } from '../../urls/destination-url.ts'
import { maxTextLength, readFields, readRequiredText, readText } from './fields.ts'
import { createVcardPayload } from './vcard.ts'

export const qrTypes = ['text', 'vcard', 'link', 'email', 'phone', 'sms', 'wifi'] as const

export type QrType = (typeof qrTypes)[number]

/**
 * Returns the text in a code of this type, created from a client's data. The data has the format of
 * the type, or is an array with one such element. For `link`, returns the destination. Throws
 * `invalid_input` naming the field: `data` or `data.<name>`.
 */
export function createQrPayload(type: QrType, data: unknown): string {
  const content = Array.isArray(data) && data.length === 1 ? data[0] : data
  switch (type) {
    case 'text':
      return readRequiredText('data', content, { max: maxTextLength, multiline: true })
    case 'link':
      return createLinkPayload(content)
    case 'email':
      return createEmailPayload(content)
    case 'phone':
      return createPhonePayload(content)
    case 'sms':
      return createSmsPayload(content)
    case 'wifi':
      return createWifiPayload(content)
    case 'vcard':
      return createVcardPayload(content)
  }
}

function createLinkPayload(data: unknown): string {
  const url = parseAllowedUrl(readRequiredText('data', data, { max: 8192 }).trim())
  if (!url) throw invalid('data', 'url_of_web')
  if (hasCredentials(url)) throw invalid('data', 'credentials')
  return url.href
}

/** Returns a `mailto:` URL (RFC 6068). */
function createEmailPayload(data: unknown): string {
  if (!isObject(data)) return `mailto:${readAddress('data', data)}`

  const fields = readFields(data, 'qr_email')
  const [address, subject, message] = checkAll(
    () => readAddress('data.email', fields.email),
    () => readText('data.subject', fields.subject, { max: 1000 }),
    () => readText('data.message', fields.message, { max: maxTextLength, multiline: true }),
  )
  const query = [
    subject && `subject=${encodeURIComponent(subject)}`,
    // Line breaks in the body are CRLF (RFC 6068, section 5).
    message && `body=${encodeURIComponent(message.replace(/\r\n|\r|\n/g, '\r\n'))}`,
  ].filter((part) => part !== '')
  return `mailto:${address}${query.length === 0 ? '' : `?${query.join('&')}`}`
}

function readAddress(field: string, value: unknown): string {
  const address = readRequiredText(field, value, { max: 254 }).trim()
  if (!/^[^\s@"(),:;<>[\\\]]{1,64}@[\p{L}\p{M}\p{N}-]+(\.[\p{L}\p{M}\p{N}-]+)+$/u.test(address)) {
    throw invalid(field, 'email')
  }
  return encodeURIComponent(address).replace('%40', '@').replaceAll('%2B', '+')
}

/** Returns a `tel:` URL (RFC 3966). */
function createPhonePayload(data: unknown): string {
  const number = isObject(data)
    ? readNumber('data.phone', readFields(data, 'qr_phone').phone)
    : readNumber('data', data)
  return `tel:${number.replaceAll('#', '%23')}`
}

/** Returns `SMSTO:number:message`, the format that phones support. It has no escaping. */
function createSmsPayload(data: unknown): string {
  if (!isObject(data)) return `SMSTO:${readNumber('data', data)}:`

  const fields = readFields(data, 'qr_phone')
  const [number, message] = checkAll(
    () => readNumber('data.phone', fields.phone),
    () => readText('data.message', fields.message, { max: maxTextLength, multiline: true }),
  )
  return `SMSTO:${number}:${message}`
}

/**
 * Reads a phone number with the separators that RFC 3966 allows. Removes spaces, which it does not
 * allow.
 */
function readNumber(field: string, value: unknown): string {
  const number = readRequiredText(field, value, { max: 64 }).replace(/\s/g, '')
  if (!/^\+?[0-9*#().-]+$/.test(number) || !/[0-9]/.test(number)) {
    throw invalid(field, 'phone_number')
  }
  return number
}

function isObject(data: unknown): boolean {
  return typeof data === 'object' && data !== null
}

/**
 * The names of the encryption in the payload. `WPA` stands for WPA2 and WPA3 too: readers then offer
 * whatever the network supports. `SAE` is for networks that only support WPA3.
 */
const kinds = new Map([
  ['wpa', 'WPA'],
  ['wpa2', 'WPA'],
  ['wpa3', 'WPA'],
  ['wpa/wpa2', 'WPA'],
  ['wpa2/wpa3', 'WPA'],
  ['sae', 'SAE'],
  ['wep', 'WEP'],
  ['none', 'nopass'],
  ['nopass', 'nopass'],
])

/**
 * Returns `WIFI:T:WPA;S:…;P:…;H:true;;` for `{ssid, encryption, password, hidden}`. The encryption
 * defaults to WPA if there is a password, and to none otherwise.
 */
function createWifiPayload(data: unknown): string {
  const fields = readFields(data, 'qr_wifi')
  const [ssid, { kind, password }, isHidden] = checkAll(
    () => readSsid(fields.ssid),
    () => readSecret(fields),
    () => readHidden(fields.hidden),
  )
  const secret = kind === 'nopass' ? '' : `P:${escapeValue(password)};`
  const hidden = isHidden ? 'H:true;' : ''
  return `WIFI:T:${kind};S:${escapeValue(ssid)};${secret}${hidden};`
}

function readSsid(value: unknown): string {
  const ssid = readRequiredText('data.ssid', value, { max: 32 })
  // IEEE 802.11 limits the size of the name in bytes.
  if (Buffer.byteLength(ssid) > 32) throw invalid('data.ssid', 'ssid_length')
  return ssid
}

function readSecret(fields: Record<string, unknown>): { kind: string; password: string } {
  const password = readText('data.password', fields.password, { max: 64 })
  const kind = readKind(fields.encryption, password)
  if (kind !== 'nopass' && password === '') throw invalid('data.password', 'required')
  return { kind, password }
}

function readKind(value: unknown, password: string): string {
  const name = readText('data.encryption', value, { max: 16 }).trim().toLowerCase()
  const kind = kinds.get(name || (password === '' ? 'none' : 'wpa'))
  if (kind === undefined) throw invalid('data.encryption', 'wifi_encryption')
  return kind
}

function readHidden(value: unknown): boolean {
  if (typeof value === 'boolean') return value
  const text = readText('data.hidden', value, { max: 16 }).trim().toLowerCase()
  if (text === 'true' || text === '1') return true
  if (text === 'false' || text === '0' || text === '') return false
  throw invalid('data.hidden', 'true_or_false')
}

function escapeValue(text: string): string {
  return text.replace(/[\\;,":]/g, '\\$&')
}
