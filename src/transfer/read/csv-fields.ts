import type { Problem, Subject } from '../../errors.ts'
import type { LinkRecord, ReadLink } from '../record.ts'
import { type Columns, getCell, nameColumn, nameField } from './csv-cells.ts'
import { type ColumnField, csvFields } from './csv-columns.ts'
import { type IsKnownHost, readNames } from './csv-names.ts'
import { type DateOrder, isDay, parseNumericDate } from './moment.ts'
import {
  createRestrictionError,
  isNo,
  isUnset,
  isYes,
  normalizeName,
  OFF_WORDS,
  readSwitch,
  restricts,
} from './restriction.ts'
import {
  type Fields,
  invalidValue,
  isObject,
  RowError,
  readObjects,
  readProblem,
} from './values.ts'

/** What is known about a file apart from the row. */
export type CsvContext = {
  columns: Columns
  /** The order of day and month in a column whose dates do not say it. */
  getDateOrder: (field: ColumnField) => DateOrder | undefined
  isKnownHost: IsKnownHost
  /** Whether the links have no names. */
  isList: boolean
  /** The number of cells in the first row, which may have empty ones after the last column. */
  width: number
}

/**
 * Returns the links in a row, one for each of its names. Their clicks count for the first one.
 *
 * @throws Error naming the invalid value
 */
export function toLinks(context: CsvContext, cells: readonly string[]): ReadLink[] {
  const { columns } = context
  requireKnownCells(context, cells)
  const { names, problems } = context.isList
    ? { names: [{ alias: '', domain: getCell(columns, cells, 'domain') }], problems: [] }
    : readNames(columns, cells, context.isKnownHost)
  rejectRestrictions(columns, cells)
  const { clicks, usedClicks, lastClickAt, ...link } = readLink(context, cells)
  const notices = [...(link.notices ?? []), ...problems]
  return names.map(({ alias, domain }, index): ReadLink => {
    if (index === 0) {
      return { record: { ...link, alias, domain, notices, clicks, usedClicks, lastClickAt } }
    }
    return link.maxClicks
      ? { alias, problem: { key: 'rowProblems.click_limit' } }
      : { record: { ...link, alias, domain, notices: [] } }
  })
}

/**
 * Throws if a row has too many cells. A destination with a comma that is not in quotes would lead
 * elsewhere, and the cells after it would be in other columns.
 */
function requireKnownCells({ columns, width }: CsvContext, cells: readonly string[]): void {
  const { length } = columns.header
  const extra = cells.slice(length)
  if (cells.length <= Math.max(width, length) && extra.every((cell) => cell.trim() === '')) return
  throw new RowError({ key: 'rowProblems.cells', args: { cells: cells.length, columns: length } })
}

/** Throws if a column restricts the link in a way that cannot be imported. */
function rejectRestrictions(columns: Columns, cells: readonly string[]): void {
  for (const index of columns.restrictions) {
    const value = (cells[index] ?? '').trim()
    if (!restricts(columns.header[index] ?? '', value, getCell(columns, cells, 'url'))) continue
    throw createRestrictionError(nameColumn(columns, index), value)
  }
}

function readLink(context: CsvContext, cells: readonly string[]): Omit<LinkRecord, 'alias'> {
  const { columns } = context
  const cell = (field: ColumnField) => getCell(columns, cells, field)
  const name = (field: string) => nameField(columns, cells, field)
  const notices: Problem[] = []
  // Without a column for used clicks, every click counts toward the limit.
  const usedField = columns.positions.has('usedClicks') ? 'usedClicks' : 'clicks'
  const count = (field: 'clicks' | 'usedClicks') => {
    try {
      return readCount(cell(field), () => name(field))
    } catch (error) {
      // A wrong number of used clicks would change how often the link still works.
      if (field === usedField && cell('maxClicks') !== undefined) throw error
      notices.push(readProblem(error))
      return undefined
    }
  }
  const url = cell('url')
  if (url === undefined) throw invalidValue(name('url'), 'cell_empty')
  const date = (field: ColumnField) => readDate(context, field, cell(field))
  const clicks = count('clicks')
  const status = readStatus(cell('status'), () => name('status'))
  const enabled = cell('enabled')
  const isOff = (text: string | undefined, field: string) =>
    text !== undefined && readSwitch(text, () => name(field))
  return {
    ...Object.fromEntries(
      csvFields.map((field) => [
        field.field,
        field.kind === 'moment'
          ? unsetToUndefined(date(field.field))
          : readCell(field, cell(field.field), () => name(field.field)),
      ]),
    ),
    url,
    tags: readTags(cell('tags')),
    createdAt: date('createdAt'),
    lastClickAt: date('lastClickAt'),
    clicks,
    usedClicks: usedField === 'clicks' ? clicks : count('usedClicks'),
    disabled:
      isOff(cell('disabled'), 'disabled') ||
      status === 'disabled' ||
      (enabled !== undefined && !readSwitch(enabled, () => name('enabled'))),
    archived: isOff(cell('archived'), 'archived') || status === 'archived',
    ...readTargets(cell, name),
    notices,
  }
}

function readTargets(
  cell: (field: ColumnField) => string | undefined,
  name: (field: string) => Subject,
): Pick<LinkRecord, 'geoTargets' | 'deviceTargets'> {
  const devices = [
    ['iphone', cell('iphone') ?? cell('ios')],
    ['ipad', cell('ios')],
    ['android', cell('android')],
  ] as const
  const deviceTargets = devices.flatMap(([device, link]) =>
    link && !isUnset(link) ? [{ device, link }] : [],
  )
  const geo = cell('geo')
  if (geo === undefined || isUnset(geo)) return { deviceTargets }
  return { deviceTargets, geoTargets: readGeoTargets(geo, () => name('geoTargets')) }
}

/** Reads destinations by country from JSON: an object, as in Dub, or our own list. */
function readGeoTargets(text: string, name: () => Subject) {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {}
  const entries = isObject(value)
    ? Object.entries(value).map(([location, link]) => ({ location, link }))
    : value
  const isList = Array.isArray(entries)
  if (!isList || !entries.every((each) => isObject(each) && typeof each.link === 'string')) {
    throw invalidValue(name(), 'countries')
  }
  return entries as { location: string; link: string }[]
}

const STATUSES: Readonly<Record<string, 'active' | 'disabled' | 'archived'>> = {
  ...Object.fromEntries(
    'active enabled published live online ok public on true yes 1 200 301 302 307 308'
      .split(' ')
      .map((word) => [word, 'active']),
  ),
  ...Object.fromEntries(OFF_WORDS.map((word) => [word, 'disabled'])),
  archived: 'archived',
}

function readStatus(text: string | undefined, name: () => Subject) {
  if (text === undefined) return undefined
  const status = STATUSES[text.toLowerCase()]
  if (!status) throw invalidValue(name(), 'not_status', { text: text.slice(0, 40) })
  return status
}

function readDate(
  { columns, getDateOrder }: CsvContext,
  field: ColumnField,
  text: string | undefined,
): string | undefined {
  const name = columns.header[columns.positions.get(field) ?? -1] ?? ''
  // May be a duration in seconds instead of the day of a spreadsheet.
  if (text && /^\d{1,8}$/.test(text) && /in$/.test(normalizeName(name))) {
    throw invalidValue(`"${name.trim()}"`, 'unknown_date', { date: text })
  }
  const order = text === undefined ? undefined : getDateOrder(field)
  const date = order && text && parseNumericDate(text, order)?.toISOString()
  return date ? date.slice(0, isDay(text) ? 10 : undefined) : text
}

function unsetToUndefined(text: string | undefined): string | undefined {
  return text === undefined || isUnset(text) ? undefined : text
}

function readTags(text: string | undefined): string[] {
  try {
    const list: unknown = JSON.parse(text ?? '')
    const tags = Array.isArray(list) ? list.map((tag) => (isObject(tag) ? tag.name : tag)) : [list]
    if (tags.every((tag) => typeof tag === 'string')) return tags
  } catch {}
  const separator = ['|', ';'].find((each) => text?.includes(each)) ?? ','
  return (
    (text ?? '')
      // PostgreSQL writes a list in braces.
      .replace(/^\[(.*)\]$|^\{(.*)\}$/s, '$1$2')
      .split(separator)
      .map((tag) => tag.trim().replaceAll(/^"|"$/g, ''))
      .filter(Boolean)
  )
}

/** Parses a field in our export format. Lists are JSON. */
function readCell(
  { field, kind, accept }: (typeof csvFields)[number],
  text: string | undefined,
  name: () => Subject,
) {
  if (text === undefined) return undefined
  if (kind === 'flag') return readSwitch(text, name)
  if (kind === 'number') return isUnset(text) ? undefined : readCount(text, name)
  if (kind === 'list') return isUnset(text) ? undefined : readList(text, name)
  if (field === 'password') return readPassword(text, name)
  return accept ? accept(text) : text
}

/** Returns the hash of a password. Some exports only say whether there is one. */
function readPassword(text: string, name: () => Subject): string | undefined {
  if (isNo(text)) return undefined
  if (!isYes(text)) return text
  throw invalidValue(name(), 'password_missing')
}

function readList(text: string, name: () => Subject): Fields[] {
  try {
    return readObjects({ list: JSON.parse(text) }, 'list')
  } catch {
    throw invalidValue(name(), 'json_list_of_objects')
  }
}

/**
 * A whole number, optionally with thousands separators. Excludes `1,5` and `1.234`, which may be
 * fractions.
 */
const COUNT = /^(?:\d+|\d{1,3}(?:[,\s'’]\d{3})+)(?:\.0{1,2})?$/

function readCount(text: string | undefined, name: () => Subject): number | undefined {
  if (text === undefined) return undefined
  const count = COUNT.test(text) ? Number(text.replaceAll(/[,\s'’]/g, '')) : Number.NaN
  if (!Number.isSafeInteger(count)) {
    throw invalidValue(name(), 'not_whole_number', { text: text.slice(0, 40) })
  }
  return count
}
