import type { CsvFieldName } from '../../links/fields.ts'
import { fileFields } from '../file-fields.ts'
import { isRestricting, normalizeName } from './restriction.ts'

/**
 * The column names of other services, in lowercase, without spaces, dots, dashes and underscores,
 * most likely first. They come from exports of Bitly, Dub, Rebrandly, Short.io, Shlink, Kutt,
 * YOURLS's plugin, and our own.
 */
const HEADERS = {
  alias:
    'alias shortcode keyword slug slashtag backhalf custombackhalf customurl custom address path key customalias ending urlkey shortid',
  shortUrl:
    'shorturl shortlink bitlink link short source tinyurl url1 shortenedurl shortenedlink brandedlink',
  // Bitly exports such a column in addition to the generated link. It is usually empty. The last ones
  // are also read as another field, and here if the file has further names.
  customUrl:
    'customlink customlinks custombitlink custombitlinks custombackhalf custombackhalves customalias customslug customurl vanityurl aliases backhalf slashtag shortcode slug brandedlink shortlink',
  domain: 'domain domainname domainfullname host hostname',
  tags: 'tags tag labels',
  createdAt: 'createdat created datecreated creationdate createddate createdon timestamp date',
  clicks:
    'clicks hits visits visitcount visitscount totalclicks clickcount clickscount counter totalvisits engagements totalengagements',
  lastClickAt: 'lastclickat lastclick lastclicked lastclickedat lastvisit lastvisited lastaccessed',
  usedClicks: 'usedclicks',
  disabled: 'disabled banned isdisabled isbanned disabledat blocked deleted isdeleted deletedat',
  enabled: 'enabled isenabled active isactive',
  archived: 'archived isarchived archivedat',
  status: 'status linkstatus',
  iphone: 'iphoneurl',
  ios: 'ios iosurl iostargeting iostarget apple appleurl',
  android: 'androidurl android androidtargeting androidtarget google googleurl',
  geo: 'geo geotargeting geotargets',
  /** A column that restricts links in a way that cannot be imported. Its rows are rejected. */
  restriction: '',
} as const

/** A field of a link that can be in a column. */
export type ColumnField = keyof typeof HEADERS | CsvFieldName

/** The fields of a link that have their own column. */
export const csvFields = fileFields.flatMap(({ csv, ...field }) =>
  csv ? [{ ...field, csv, field: field.field as CsvFieldName }] : [],
)

/** The names of the columns of each field, separated by spaces. */
export const NAMES = {
  ...Object.fromEntries(csvFields.map(({ field, csv }) => [field, csv.names])),
  ...HEADERS,
} as Record<ColumnField, string>

/** The fields in the order in which columns are detected. */
export const COLUMN_FIELDS = Object.keys(NAMES) as readonly ColumnField[]

/** The field of each column, or undefined for an ignored one. */
export type Mapping = readonly (ColumnField | undefined)[]

/**
 * Returns the fields of columns, detected by their names. Each field has at most one column. Other
 * columns that restrict links are never ignored silently. `ignored` has the positions of the
 * columns that the user ignores.
 */
export function detectMapping(
  header: readonly string[],
  ignored: ReadonlySet<number> = new Set(),
): Mapping {
  const names = header.map((cell, index) => (ignored.has(index) ? '' : normalizeName(cell)))
  const mapping: (ColumnField | undefined)[] = header.map(() => undefined)
  for (const field of COLUMN_FIELDS) {
    const index = NAMES[field]
      .split(' ')
      .map((name) => (name ? names.indexOf(name) : -1))
      .find((found) => found >= 0 && mapping[found] === undefined)
    if (index !== undefined) mapping[index] = field
  }
  return mapping.map((field, index) =>
    field === undefined && isRestricting(names[index] ?? '') ? 'restriction' : field,
  )
}

/** The fields with the names of a link. */
export const NAME_FIELDS: readonly ColumnField[] = ['alias', 'shortUrl', 'customUrl']
/** Fields that new links do not have. Clicks of other links would use up their limits. */
const LIST_UNUSED: readonly ColumnField[] = [...NAME_FIELDS, 'clicks', 'usedClicks', 'lastClickAt']
/** Names of a column of destinations in a list, in which links have no names. */
const LIST_NAMES = new Set('link links website web href urls uri page pages address'.split(' '))

/**
 * Returns the mapping for a list of destinations: without aliases and clicks, and with a less certain
 * column of destinations, such as the only one.
 */
export function toListMapping(header: readonly string[], mapping: Mapping): Mapping {
  const unnamed = mapping.map((field) => (field && LIST_UNUSED.includes(field) ? undefined : field))
  if (unnamed.includes('url')) return unnamed
  const found = header.findIndex((name) => LIST_NAMES.has(normalizeName(name)))
  const url = header.length === 1 ? 0 : found
  return unnamed.map((field, index) => (index === url ? 'url' : field))
}

/** The reason why a mapping cannot be used. */
export type MappingProblem =
  | { kind: 'repeated'; field: ColumnField }
  | { kind: 'missing'; field: 'url' | 'alias' }

/**
 * Returns the first problem of a mapping: a field with several columns, or a required field without
 * a column.
 */
export function findMappingProblem(mapping: Mapping, isList = false): MappingProblem | undefined {
  const fields = mapping.filter((field) => field !== undefined && field !== 'restriction')
  const repeated = fields.find((field, index) => fields.indexOf(field) !== index)
  if (repeated) return { kind: 'repeated', field: repeated }
  if (!fields.includes('url')) return { kind: 'missing', field: 'url' }
  if (isList) return undefined
  const hasAlias = (['alias', 'shortUrl', 'customUrl'] as const).some((each) =>
    fields.includes(each),
  )
  return hasAlias ? undefined : { kind: 'missing', field: 'alias' }
}

/** Formats a mapping as JSON for `parseMapping`. */
export function formatMapping(mapping: Mapping): string {
  return JSON.stringify(mapping.map((field) => field ?? ''))
}

export function parseMapping(text: string | undefined): Mapping | undefined {
  const names: unknown = text === undefined ? undefined : JSON.parse(text)
  return Array.isArray(names) ? names.map(toColumnField) : undefined
}

/** Returns the field with this name, or undefined if there is none. */
export function toColumnField(name: unknown): ColumnField | undefined {
  return COLUMN_FIELDS.find((field) => field === name)
}
