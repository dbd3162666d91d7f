import type { FieldName } from '../../links/fields.ts'
import { parseShortUrl } from '../../links/short-url.ts'
import { fileFields } from '../file-fields.ts'
import type { LinkRecord } from '../record.ts'
import { type Fields, objects } from './values.ts'

/**
 * Column names of other services, in lowercase without spaces, dots, dashes and underscores. If a
 * field has several columns, the first non-empty one is used. Collected from exports of Bitly, Dub,
 * Rebrandly, Short.io, Shlink, Kutt, YOURLS's plugin, and our own.
 */
const HEADERS = {
  shortUrl: 'customlink shorturl shortlink link short source tinyurl url1',
  alias:
    'alias shortcode keyword slug slashtag backhalf custombackhalf customurl custom address path key',
  domain: 'domain domainname domainfullname host hostname',
  tags: 'tags tag labels',
  createdAt: 'createdat created datecreated creationdate createddate createdon timestamp date',
  clicks: 'clicks hits visits visitcount totalclicks clickcount totalvisits engagements',
  usedClicks: 'usedclicks',
  disabled: 'disabled banned',
  status: 'status',
  iphone: 'iphoneurl iosurl ios iostargeting',
  android: 'androidurl android androidtargeting',
} as const

const csvFields = fileFields.filter(({ csv }) => csv)
const ALL_HEADERS = {
  ...HEADERS,
  ...Object.fromEntries(csvFields.map(({ field, csv }) => [field, csv?.names ?? ''])),
}

type Column = keyof typeof HEADERS | FieldName
/** The columns of each field, most likely first. */
export type RowFields = ReadonlyMap<Column, readonly number[]>

/** Returns the columns of each field, by the names in the first line. */
export function fieldsByColumn(header: readonly string[]): RowFields {
  const names = header.map((cell) => cell.toLowerCase().replaceAll(/[\s_.-]/g, ''))
  const fields = new Map<Column, number[]>()
  for (const [field, words] of Object.entries(ALL_HEADERS) as [Column, string][]) {
    const found = words.split(' ').flatMap((word) => {
      const index = names.indexOf(word)
      return index < 0 ? [] : [index]
    })
    if (found.length > 0) fields.set(field, found)
  }
  return fields
}

/** Returns the names of unused columns. */
export function unusedColumns(header: readonly string[], fields: RowFields): string[] {
  const used = new Set([...fields.values()].flat())
  return header.map((name) => name.trim()).filter((name, index) => name && !used.has(index))
}

/**
 * Returns the link of a row.
 *
 * @throws Error naming the invalid value
 */
export function recordOf(fields: RowFields, cells: readonly string[]): LinkRecord {
  const cell = (field: Column): string | undefined => {
    for (const index of fields.get(field) ?? []) {
      const text = plain(cells[index] ?? '')
      if (text) return text
    }
    return undefined
  }
  const { alias, domain } = addressOf(cell('shortUrl'), cell('alias'), cell('domain'))
  const url = cell('url')
  if (alias === undefined) throw new Error('the alias is missing')
  if (url === undefined) throw new Error('the target is missing')
  const phones = [
    ['iphone', cell('iphone')],
    ['android', cell('android')],
  ] as const
  return {
    ...Object.fromEntries(
      csvFields.map((field) => [field.field, readCell(field, cell(field.field))]),
    ),
    alias,
    domain,
    url,
    tags: tagsOf(cell('tags')),
    createdAt: cell('createdAt'),
    clicks: countOf(cell('clicks')),
    usedClicks: countOf(cell('usedClicks'), 'usedClicks'),
    disabled: isYes(cell('disabled')) || cell('status')?.toLowerCase() === 'disabled',
    deviceTargets: phones.flatMap(([device, link]) => (link ? [{ device, link }] : [])),
  }
}

/** Returns a trimmed cell without the apostrophe that protects it from being read as a formula. */
function plain(cell: string): string {
  const text = cell.trim()
  return /^'[=+\-@\t\r＝＋－＠]/.test(text) ? text.slice(1) : text
}

/**
 * Returns the alias and domain from a short URL, which may also be a bare alias as in YOURLS's
 * `/key/`.
 */
function addressOf(shortUrl?: string, alias?: string, domain?: string) {
  if (alias !== undefined && !alias.includes('/')) return { alias, domain }
  const text = shortUrl ?? alias
  if (text === undefined) return { alias: undefined, domain }
  const bare = text.replaceAll(/^\/+|\/+$/g, '')
  if (!bare.includes('/') && !/^https?:/i.test(bare)) return { alias: bare, domain }
  const parsed = parseShortUrl(bare)
  if (!parsed) throw new Error(`the short URL cannot be read: ${bare.slice(0, 100)}`)
  return { alias: parsed.alias, domain: domain ?? parsed.host }
}

function tagsOf(text: string | undefined): string[] {
  const separator = text?.includes('|') ? '|' : text?.includes(';') ? ';' : ','
  return (text ?? '')
    .replaceAll(/^\[|\]$/g, '')
    .split(separator)
    .map((tag) => tag.trim().replaceAll(/^"|"$/g, ''))
    .filter(Boolean)
}

/** Parses a field as exported. Lists are JSON. */
function readCell({ name, kind, accept }: (typeof csvFields)[number], text: string | undefined) {
  if (text === undefined) return undefined
  if (kind === 'flag') return flagOf(text, name)
  if (kind === 'number') return countOf(text, name)
  if (kind === 'list') return listOf(text, name)
  return accept ? accept(text) : text
}

function listOf(text: string, name: string): Fields[] {
  try {
    return objects({ [name]: JSON.parse(text) }, name)
  } catch {
    throw new Error(`${name} must be a JSON list of objects`)
  }
}

/**
 * A whole number, optionally with thousands separators. Not `1,5` and `1.234`, which may be
 * fractions.
 */
const COUNT = /^(?:\d+|\d{1,3}(?:[,\s'’]\d{3})+)(?:\.0+)?$/

function countOf(text: string | undefined, name = 'clicks'): number | undefined {
  if (text === undefined) return undefined
  const count = COUNT.test(text) ? Number(text.replaceAll(/[,\s'’]/g, '')) : Number.NaN
  if (!Number.isSafeInteger(count)) {
    throw new Error(`${name} must be a whole number, not ${text.slice(0, 40)}`)
  }
  return count
}

function flagOf(text: string, name: string): boolean {
  if (isYes(text)) return true
  if (/^(0|false|no)$/i.test(text)) return false
  throw new Error(`${name} must be true or false, not ${text.slice(0, 40)}`)
}

function isYes(text: string | undefined): boolean {
  return text !== undefined && /^(1|true|yes)$/i.test(text)
}
