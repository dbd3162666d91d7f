import { parseShortUrl } from '../../links/short-url.ts'
import type { LinkRecord } from '../record.ts'
import { type Columns, getCell, nameField } from './csv-cells.ts'
import { type ColumnField, csvFields } from './csv-columns.ts'
import { type Fields, readObjects } from './values.ts'

/**
 * Returns the link in a row.
 *
 * @throws Error naming the invalid value
 */
export function toRecord(columns: Columns, cells: readonly string[]): LinkRecord {
  const cell = (field: ColumnField) => getCell(columns, cells, field)
  const name = (field: string) => nameField(columns, cells, field)
  const { alias, domain } = readAddress(columns, cells)
  const url = cell('url')
  if (alias === undefined) throw new Error(`${name('alias')} is empty`)
  if (url === undefined) throw new Error(`${name('url')} is empty`)
  const phones = [
    ['iphone', cell('iphone')],
    ['android', cell('android')],
  ] as const
  return {
    ...Object.fromEntries(
      csvFields.map(({ field, kind, accept }) => [
        field,
        readCell({ kind, accept }, cell(field), () => name(field)),
      ]),
    ),
    alias,
    domain,
    url,
    tags: readTags(cell('tags')),
    createdAt: cell('createdAt'),
    lastClickAt: cell('lastClickAt'),
    clicks: readCount(cell('clicks'), () => name('clicks')),
    usedClicks: readCount(cell('usedClicks'), () => name('usedClicks')),
    disabled: isYes(cell('disabled')) || cell('status')?.toLowerCase() === 'disabled',
    deviceTargets: phones.flatMap(([device, link]) => (link ? [{ device, link }] : [])),
  }
}

/**
 * Returns the alias and domain of a row. Without a plain alias, reads them from the short URL,
 * which may also lack a host, as in YOURLS's `/key/`.
 */
function readAddress(columns: Columns, cells: readonly string[]) {
  const cell = (field: ColumnField) => getCell(columns, cells, field)
  const alias = cell('alias')
  const domain = cell('domain')
  if (alias !== undefined && !alias.includes('/')) return { alias, domain }
  const text = cell('customUrl') ?? cell('shortUrl') ?? alias
  if (text === undefined) return { alias: undefined, domain }
  const bare = text.replaceAll(/^\/+|\/+$/g, '')
  if (!bare.includes('/') && !/^https?:/i.test(bare)) return { alias: bare, domain }
  const parsed = parseShortUrl(bare)
  if (!parsed) {
    const name = nameField(columns, cells, 'alias')
    throw new Error(`${name} is not a short URL: ${bare.slice(0, 100)}`)
  }
  return { alias: parsed.alias, domain: domain ?? parsed.host }
}

function readTags(text: string | undefined): string[] {
  const separator = ['|', ';'].find((each) => text?.includes(each)) ?? ','
  return (text ?? '')
    .replaceAll(/^\[|\]$/g, '')
    .split(separator)
    .map((tag) => tag.trim().replaceAll(/^"|"$/g, ''))
    .filter(Boolean)
}

/** Parses a field in our export format. Lists are JSON. */
function readCell(
  { kind, accept }: Pick<(typeof csvFields)[number], 'kind' | 'accept'>,
  text: string | undefined,
  name: () => string,
) {
  if (text === undefined) return undefined
  if (kind === 'flag') return readFlag(text, name)
  if (kind === 'number') return readCount(text, name)
  if (kind === 'list') return readList(text, name)
  return accept ? accept(text) : text
}

function readList(text: string, name: () => string): Fields[] {
  try {
    return readObjects({ list: JSON.parse(text) }, 'list')
  } catch {
    throw new Error(`${name()} must be a JSON list of objects`)
  }
}

/**
 * A whole number, optionally with thousands separators. Excludes `1,5` and `1.234`, which may be
 * fractions.
 */
const COUNT = /^(?:\d+|\d{1,3}(?:[,\s'’]\d{3})+)(?:\.0+)?$/

function readCount(text: string | undefined, name: () => string): number | undefined {
  if (text === undefined) return undefined
  const count = COUNT.test(text) ? Number(text.replaceAll(/[,\s'’]/g, '')) : Number.NaN
  if (!Number.isSafeInteger(count)) {
    throw new Error(`${name()} must be a whole number, not ${text.slice(0, 40)}`)
  }
  return count
}

function readFlag(text: string, name: () => string): boolean {
  if (isYes(text)) return true
  if (/^(0|false|no)$/i.test(text)) return false
  throw new Error(`${name()} must be true or false, not ${text.slice(0, 40)}`)
}

function isYes(text: string | undefined): boolean {
  return text !== undefined && /^(1|true|yes)$/i.test(text)
}
