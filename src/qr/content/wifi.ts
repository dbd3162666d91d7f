import { invalid } from '../../errors.ts'
import { readFields, readRequiredText, readText } from './fields.ts'

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
export function createWifiPayload(data: unknown): string {
  const fields = readFields(data, 'qr_wifi')
  const ssid = readRequiredText('data.ssid', fields.ssid, { max: 32 })
  // IEEE 802.11 limits the size of the name in bytes.
  if (Buffer.byteLength(ssid) > 32) throw invalid('data.ssid', 'ssid_length')
  const password = readText('data.password', fields.password, { max: 64 })
  const kind = readKind(fields.encryption, password)
  if (kind !== 'nopass' && password === '') throw invalid('data.password', 'required')

  const secret = kind === 'nopass' ? '' : `P:${escapeValue(password)};`
  const hidden = readHidden(fields.hidden) ? 'H:true;' : ''
  return `WIFI:T:${kind};S:${escapeValue(ssid)};${secret}${hidden};`
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
