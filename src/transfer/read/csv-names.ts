import type { Problem, Subject } from '../../errors.ts'
import { normalizeHost } from '../../urls/host.ts'
import { parseShortUrl } from '../../urls/short-url.ts'
import { type Columns, getCell, nameField } from './csv-cells.ts'
import { createProblem, RowError } from './values.ts'

/** A name of a link: its alias, and its host if the file has it. */
export type LinkName = { alias: string; domain: string | undefined }

/** Returns whether a host is one of the service's or of the account's domains. */
export type IsKnownHost = (host: string) => boolean

const HOST = /^[^/:]*\.[^/]*\/|^[^/]*:\d{1,5}\/|^localhost\//i
/** A host without an alias, such as `bit.ly`. */
const BARE_HOST = /^[^/:\s]+\.\p{L}{2,}$/u
/** Texts that say that there is no other name. */
const NO_NAME = /^(null|undefined|n\/a|-|–)$/i

/**
 * Returns all names of the link in a row: its alias, and those in the columns for short URLs. A link
 * of Bitly has a random name and may have others. `problems` has the texts that are no names.
 *
 * @throws Error naming the column if there is no name
 */
export function readNames(
  columns: Columns,
  cells: readonly string[],
  isKnownHost: IsKnownHost,
): { names: readonly LinkName[]; problems: readonly Problem[] } {
  const cell = (field: Parameters<typeof getCell>[2]) => getCell(columns, cells, field)
  const name = (field: string) => nameField(columns, cells, field)
  const domain = cell('domain')
    ?.replace(/^https?:\/\//i, '')
    .replace(/\/+$/, '')
  const shortUrl = cell('shortUrl')
  const short = shortUrl === undefined ? undefined : readShortUrl(shortUrl, name('shortUrl'))
  const host = (domain && normalizeHost(domain)) || short?.host
  const alias = cell('alias')
  const own = alias === undefined ? undefined : readAlias(alias, name('alias'), host, isKnownHost)
  const custom = (cell('customUrl') ?? '')
    // Lists may be JSON.
    .split(/[\s,;|[\]"']+/)
    .filter((text) => text !== '' && !NO_NAME.test(text))
    .map((text) => readShortUrl(text, name('customUrl')))
  // Beside an alias, a column such as "Source" may hold anything but a short URL.
  const other = own?.alias !== undefined && short && !short.isUrl ? undefined : short
  const all = [own, ...custom, other].filter((each) => each !== undefined)
  const names = all.flatMap((each) =>
    each.alias === undefined ? [] : { alias: each.alias, domain: domain ?? each.host ?? host },
  )
  const problems = all.flatMap((each) => each.problem ?? [])
  if (names.length === 0) {
    throw new RowError(problems[0] ?? createProblem(name('alias'), 'cell_empty'))
  }
  return { names: names.filter(isFirst), problems }
}

function isFirst(name: LinkName, index: number, names: readonly LinkName[]): boolean {
  return !names.slice(0, index).some(({ alias, domain }) => {
    return alias === name.alias && (!domain || !name.domain || domain === name.domain)
  })
}

type Read = { alias?: string; host?: string; isUrl?: boolean; problem?: Problem }

/**
 * Reads a cell that holds an alias, which may contain slashes and dots. It is only a short URL if it
 * has a scheme or begins with the row's host or a known one, which is no alias by itself.
 */
function readAlias(
  text: string,
  column: Subject,
  host: string | undefined,
  isKnownHost: IsKnownHost,
): Read {
  const [, segment = ''] = /^([^/]+)\/./.exec(text) ?? /^([^/]+\.[^/]+)$/.exec(text) ?? []
  const first = segment && normalizeHost(segment)
  const isUrl = /^https?:\/\//i.test(text) || (first && (first === host || isKnownHost(first)))
  return isUrl ? parse(text, column) : { alias: text.replace(/^\//, '') }
}

/** Reads a cell that holds a short URL, with or without its scheme, or only its path. */
function readShortUrl(text: string, column: Subject): Read {
  if (/^https?:/i.test(text) || HOST.test(text)) return parse(text, column)
  const alias = text.replaceAll(/^\/+|\/+$/g, '')
  if (BARE_HOST.test(text)) return { ...describe(text, column), isUrl: false }
  return alias === '' ? describe(text, column) : { alias }
}

function parse(text: string, column: Subject): Read {
  const parsed = parseShortUrl(text.replace(/\/+$/, ''))
  return parsed ? { ...parsed, isUrl: true } : describe(text, column)
}

function describe(text: string, column: Subject): Read {
  const problem = createProblem(column, 'not_short_url', { text: text.slice(0, 100) })
  return { isUrl: true, problem }
}
