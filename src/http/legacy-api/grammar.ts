import { isUtf8 } from 'node:buffer'
import { AppError, invalid } from '../../errors.ts'

export type LegacyFormat = 'json' | 'xml'

/** A call of the legacy API with decoded values, not yet validated. */
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
 * Parses `callPath`, the path after `/api/v1/<key>/shorturl/`, percent-encoded and without the query: the
 * operation, `name/value` pairs in any order, and the extension `.json` or `.xml`.
 *
 * A plain value is one segment. The base64 of `url` and `short_url` may contain raw slashes, so the
 * value ends at the next segment that is the name of an optional parameter. This is unambiguous,
 * because no such name can be a segment of base64-encoded UTF-8 text: `_` occurs only in the
 * URL-safe alphabet, which has no slashes, and `password` next to a slash decodes to invalid UTF-8
 * at each of the four positions in a base64 group.
 *
 * Throws `not_found` for an unknown operation and `invalid_input` for all other errors.
 */
export function parsePath(callPath: string): LegacyCall {
  const { format, hasExtension, operation, segments } = splitPath(callPath)
  switch (operation) {
    case 'create': {
      requireExtension(hasExtension)
      const values = readPairs(segments, createGrammar)
      return {
        operation,
        format,
        url: requireValue(values, 'url'),
        customUrl: values.get('custom_url'),
        password: values.get('password'),
        expiryDate: values.get('expiry_date'),
        baseDomain: values.get('base_domain'),
      }
    }
    case 'disable':
    case 'enable':
    case 'info': {
      requireExtension(hasExtension)
      const values = readPairs(segments, lookupGrammar)
      return { operation, format, shortUrl: requireValue(values, 'short_url') }
    }
    case 'list_active_urls':
      requireExtension(hasExtension)
      if (segments.length > 0) throw invalid('path', 'no_parameters')
      return { operation, format }
    default:
      throw new AppError('not_found')
  }
}

/** Returns the operation named in a path, whether or not it exists. */
export function readOperationName(callPath: string): string {
  return splitPath(callPath).operation
}

/**
 * Returns the format that a path requests, even if the path is otherwise invalid. Defaults to JSON.
 */
export function readFormat(rawPath: string): LegacyFormat {
  return rawPath.endsWith('.xml') ? 'xml' : 'json'
}

function splitPath(callPath: string) {
  const format = readFormat(callPath)
  const extension = `.${format}`
  const hasExtension = callPath.endsWith(extension)
  const path = hasExtension ? callPath.slice(0, -extension.length) : callPath
  const [operation = '', ...segments] = path.split('/')
  return { format, hasExtension, operation, segments }
}

function requireExtension(hasExtension: boolean) {
  if (!hasExtension) throw invalid('path', 'end_extension')
}

function requireValue(values: ReadonlyMap<string, string>, name: string): string {
  const value = values.get(name)
  if (value === undefined) throw invalid(name, 'required')
  return value
}

/** Reads the `name/value` pairs. Decodes each value only once. */
function readPairs(segments: readonly string[], grammar: Grammar): Map<string, string> {
  const values = new Map<string, string>()
  let start = 0
  while (start < segments.length) {
    const name = segments[start] ?? ''
    const isEncoded = name === grammar.encoded
    if (!isEncoded && !grammar.optional.includes(name)) throw createUnknownParameterError(grammar)
    if (values.has(name)) throw createDuplicateError(name)
    const end = isEncoded ? findValueEnd(segments, start + 1, grammar) : start + 2
    const value = segments.slice(start + 1, end)
    values.set(name, isEncoded ? decodeEncoded(value, grammar) : decodePlain(name, value.join('/')))
    start = end
  }
  return values
}

function findValueEnd(segments: readonly string[], from: number, { optional }: Grammar): number {
  const end = segments.findIndex((segment, index) => index >= from && optional.includes(segment))
  return end === -1 ? segments.length : end
}

function decodeEncoded(value: readonly string[], grammar: Grammar): string {
  const name = grammar.encoded
  const text = decodeBase64Text(decodePlain(name, value.join('/')))
  if (text !== undefined) return text
  // A valid value may contain its own name between slashes, so this is checked after decoding.
  if (value.includes(name)) throw createDuplicateError(name)
  if (value.length <= 1) throw invalid(name, 'base64_text')
  const { optional } = grammar
  throw optional.length === 0
    ? invalid(name, 'base64_text_alone')
    : invalid(name, 'base64_text_with', { names: optional.join(', ') })
}

function decodePlain(name: string, value: string): string {
  if (value === '') throw invalid(name, 'empty')
  try {
    return decodeURIComponent(value)
  } catch {
    throw invalid(name, 'broken_escape')
  }
}

function createDuplicateError(name: string): AppError {
  return invalid(name, 'once_only')
}

/** The message omits the unknown name, which may be a password if a value is missing before it. */
function createUnknownParameterError({ encoded, optional }: Grammar): AppError {
  return invalid('path', 'only_parameters', { names: [encoded, ...optional].join(', ') })
}

/**
 * Decodes base64 to text. Returns undefined unless the value is the base64 of valid UTF-8.
 *
 * Accepts both alphabets of RFC 4648, standard and URL-safe, but not mixed. Padding must be
 * complete or absent. Rejects whitespace and non-zero unused bits, so that each text has exactly
 * one encoding per alphabet and padding.
 */
export function decodeBase64Text(value: string): string | undefined {
  const [, digits, padding] = /^([A-Za-z0-9+/]+|[A-Za-z0-9_-]+)(={0,2})$/.exec(value) ?? []
  if (!digits || (padding && (digits.length + padding.length) % 4 !== 0)) return undefined
  const bytes = Buffer.from(digits, 'base64')
  const canonical = bytes.toString('base64url')
  if (canonical !== digits.replaceAll('+', '-').replaceAll('/', '_')) return undefined
  return isUtf8(bytes) ? bytes.toString('utf8') : undefined
}
