import { AppError, invalid } from '../../errors.ts'
import { decodeBase64Text } from './base64.ts'

export type LegacyFormat = 'json' | 'xml'

/** One call of the legacy API with its values decoded; what a value may be is not checked here. */
export type LegacyCall = { format: LegacyFormat } & (
  | {
      operation: 'create'
      url: string
      customUrl: string | undefined
      password: string | undefined
      expiryDate: string | undefined
      baseDomain: string | undefined
    }
  | { operation: 'disable' | 'enable' | 'info'; shortUrl: string }
  | { operation: 'list_active_urls' }
)

export type LegacyOperation = LegacyCall['operation']

type Grammar = { encoded: string; optional: readonly string[] }

const createGrammar: Grammar = {
  encoded: 'url',
  optional: ['custom_url', 'password', 'expiry_date', 'base_domain'],
}
const lookupGrammar: Grammar = { encoded: 'short_url', optional: [] }

/**
 * Reads the path after `/api/v1/<key>/shorturl/`, still percent-encoded and without the query:
 * the operation, `name/value` pairs in any order, and the ending `.json` or `.xml`.
 *
 * A plain value is one segment. The base64 of `url` and `short_url` may contain raw slashes, so it
 * runs up to the next segment that is the name of an optional parameter. That split is never
 * wrong, because such a name cannot be a segment of the base64 of UTF-8 text: a `_` belongs to the
 * URL-safe alphabet, which has no slashes, and `password` beside a slash gives bytes that UTF-8
 * does not have, whichever of the four places in a base64 group it starts at.
 *
 * Throws `not_found` for an unknown operation and `invalid_input` for everything else.
 */
export function parsePath(rest: string): LegacyCall {
  const { format, ended, operation, segments } = splitPath(rest)
  switch (operation) {
    case 'create': {
      requireExtension(ended)
      const values = readPairs(segments, createGrammar)
      return {
        operation,
        format,
        url: required(values, 'url'),
        customUrl: values.get('custom_url'),
        password: values.get('password'),
        expiryDate: values.get('expiry_date'),
        baseDomain: values.get('base_domain'),
      }
    }
    case 'disable':
    case 'enable':
    case 'info': {
      requireExtension(ended)
      const values = readPairs(segments, lookupGrammar)
      return { operation, format, shortUrl: required(values, 'short_url') }
    }
    case 'list_active_urls':
      requireExtension(ended)
      if (segments.length > 0) throw invalid('path', 'must have no parameters here')
      return { operation, format }
    default:
      throw new AppError('not_found')
  }
}

/** The name of the operation in such a path, which may be unknown. */
export function operationName(rest: string): string {
  return splitPath(rest).operation
}

/** The format that a path asks for, also when the path is otherwise wrong; JSON if in doubt. */
export function formatOf(rawPath: string): LegacyFormat {
  return rawPath.endsWith('.xml') ? 'xml' : 'json'
}

function splitPath(rest: string) {
  const format = formatOf(rest)
  const extension = `.${format}`
  const ended = rest.endsWith(extension)
  const path = ended ? rest.slice(0, -extension.length) : rest
  const [operation = '', ...segments] = path.split('/')
  return { format, ended, operation, segments }
}

function requireExtension(ended: boolean) {
  if (!ended) throw invalid('path', 'must end in .json or .xml')
}

function required(values: ReadonlyMap<string, string>, name: string): string {
  const value = values.get(name)
  if (value === undefined) throw invalid(name, 'is required')
  return value
}

/** Every segment is looked at once, and every value is decoded once. */
function readPairs(segments: readonly string[], grammar: Grammar): Map<string, string> {
  const values = new Map<string, string>()
  let start = 0
  while (start < segments.length) {
    const name = segments[start] ?? ''
    const isEncoded = name === grammar.encoded
    if (!isEncoded && !grammar.optional.includes(name)) throw unknownParameter(grammar)
    if (values.has(name)) throw doubled(name)
    const end = isEncoded ? endOfEncoded(segments, start + 1, grammar) : start + 2
    const value = segments.slice(start + 1, end)
    values.set(name, isEncoded ? decodeEncoded(value, grammar) : decodePlain(name, value.join('/')))
    start = end
  }
  return values
}

function endOfEncoded(segments: readonly string[], from: number, { optional }: Grammar): number {
  const end = segments.findIndex((segment, index) => index >= from && optional.includes(segment))
  return end === -1 ? segments.length : end
}

function decodeEncoded(value: readonly string[], grammar: Grammar): string {
  const name = grammar.encoded
  const text = decodeBase64Text(decodePlain(name, value.join('/')))
  if (text !== undefined) return text
  // A value that decodes may hold its own name between slashes, so this asks only afterwards.
  if (value.includes(name)) throw doubled(name)
  throw invalid(
    name,
    value.length > 1
      ? `must be base64 of UTF-8 text, followed by no unknown parameters; ${known(grammar)}`
      : 'must be base64 of UTF-8 text',
  )
}

function decodePlain(name: string, value: string): string {
  if (value === '') throw invalid(name, 'must not be empty')
  try {
    return decodeURIComponent(value)
  } catch {
    throw invalid(name, 'has a broken percent-escape')
  }
}

function doubled(name: string): AppError {
  return invalid(name, 'must be given only once')
}

/** Leaves the unknown name out: after a forgotten value it may be what was meant as a password. */
function unknownParameter(grammar: Grammar): AppError {
  return invalid('path', `must have no unknown parameters; ${known(grammar)}`)
}

function known({ encoded, optional }: Grammar): string {
  return `known here: ${[encoded, ...optional].join(', ')}`
}
