import { checkAll, invalid } from '../../errors.ts'
import { hasCredentials, parseWebUrl } from '../../urls/destination-url.ts'
import { maxTextLength, readFields, readRequiredText, readText } from './fields.ts'

const contactFields = [
  'fname',
  'lname',
  'org',
  'title',
  'phone',
  'cell',
  'fax',
  'email',
  'website',
  'street',
  'city',
  'state',
  'zip',
  'country',
] as const

const maxFieldLength = 500

type Contact = Record<(typeof contactFields)[number], string>

/**
 * Returns a vCard 3.0 (RFC 2426) for the fields of a contact, or returns a complete vCard
 * unchanged. Lines are not folded, because folding is only recommended and many QR code readers do
 * not support it.
 */
export function createVcardPayload(data: unknown): string {
  if (typeof data === 'string') return readCard(data)

  const fields = readFields(data, 'contact')
  const read = (name: string) =>
    readText(`data.${name}`, fields[name], {
      max: maxFieldLength,
      multiline: name === 'street',
    }).trim()
  const [contact, website] = checkAll(
    () => checkAll(...contactFields.map((name) => () => [name, read(name)] as const)),
    () => toUri('data.website', read('website')),
    () => requireName(Object.fromEntries(NAMES.map((name) => [name, read(name)])) as Contact),
  )
  return writeCard({ ...(Object.fromEntries(contact) as Contact), website })
}

/** The fields that can be the name on the card. */
const NAMES = ['fname', 'lname', 'org', 'email', 'phone', 'cell'] as const

/** Returns the name on the card, which is required and must not be empty (RFC 2426, 3.1.1). */
function requireName(contact: Pick<Contact, (typeof NAMES)[number]>): string {
  const { fname, lname, org, email, phone, cell } = contact
  const name = `${fname} ${lname}`.trim() || org || email || phone || cell
  if (name === '') throw invalid('data.fname', 'required')
  return name
}

function readCard(text: string): string {
  const card = readRequiredText('data', text, { max: maxTextLength, multiline: true })
  if (!/^BEGIN:VCARD\b/i.test(card)) {
    throw invalid('data', 'contact')
  }
  return card
}

function writeCard(contact: Contact): string {
  const { fname, lname, org, title, phone, cell, fax, email, website } = contact
  const { street, city, state, zip, country } = contact
  const address = joinValues(['', '', street, city, state, zip, country])
  const lines = [
    'BEGIN:VCARD',
    'VERSION:3.0',
    `N:${joinValues([lname, fname, '', '', ''])}`,
    `FN:${escapeText(requireName(contact))}`,
    org && `ORG:${escapeText(org)}`,
    title && `TITLE:${escapeText(title)}`,
    phone && `TEL;TYPE=WORK,VOICE:${escapeText(phone)}`,
    cell && `TEL;TYPE=CELL:${escapeText(cell)}`,
    fax && `TEL;TYPE=FAX:${escapeText(fax)}`,
    email && `EMAIL;TYPE=INTERNET:${escapeText(email)}`,
    // Values of type uri are not escaped (RFC 2426, 3.6.8).
    website && `URL:${website}`,
    address !== ';;;;;;' && `ADR;TYPE=WORK:${address}`,
    'END:VCARD',
  ]
  return lines.flatMap((line) => (line ? [`${line}\r\n`] : [])).join('')
}

function joinValues(parts: readonly string[]): string {
  return parts.map(escapeText).join(';')
}

/** Escapes a text as specified in RFC 2426, section 4. */
function escapeText(text: string): string {
  return text.replace(/[\\;,]/g, '\\$&').replace(/\r\n|\r|\n/g, '\\n')
}

/**
 * Adds a scheme to a URL such as `www.example.com`, because vCards require a URI. A complete URI is
 * not changed.
 */
function toUri(field: string, text: string): string {
  if (text === '') return ''
  const complete = /^https?:\/\//i.test(text) ? text : `https://${text}`
  const url = parseWebUrl(complete)
  if (!url || hasCredentials(url)) throw invalid(field, 'url_of_web')
  const isUri = /^[\w\-.~:/?#[\]@!$&'()*+,;=%]+$/.test(complete)
  return isUri ? complete : url.href.replaceAll('\\', '%5C')
}
