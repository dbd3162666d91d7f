import type { StoredParameter } from '../db/column-types.ts'
import { MAX_SEGMENTS, normalizeAlias } from '../urls/alias.ts'
import { isWebUrl } from '../urls/destination-url.ts'

/** Which parts of the visitor's request a link forwards to its destination. */
export type Forwarding = { query: boolean; path: boolean }

/** The parts of a request after the link's alias, as sent. */
export type ForwardedParts = {
  /** The path, validated by `isForwardablePath`, or an empty string. */
  path: string
  query: string
}

type Parameter = { name: string; raw: string }

const MAX_URL = 8192
const MAX_PATH = 4096
/** The maximum number of times that servers may decode a path. */
const MAX_DECODINGS = 5

/**
 * Returns a destination with the visitor's path and query, if forwarded, and the link's parameters.
 * In a forwarded query, parameters of the link override those of the destination, which override
 * those of the visitor. Omits the visitor's query if the URL would become too long. Returns
 * undefined if the path would lead outside the destination or makes the URL too long.
 */
export function forwardTo(
  href: string,
  parameters: readonly StoredParameter[],
  { query, path }: Forwarding,
  parts: ForwardedParts,
): string | undefined {
  const url = new URL(href)
  if (path && parts.path !== '' && !appendPath(url, parts.path)) return undefined
  const ownParameters = parseParameters(url.search.slice(1))
  const linkParameters = parameters.map((parameter) => ({
    name: parameter.name,
    raw: encodeParameter(url, parameter),
  }))
  const remaining = query ? excludeParameters(ownParameters, linkParameters) : ownParameters
  const visitorParameters = query
    ? excludeParameters(parseParameters(parts.query), [...ownParameters, ...linkParameters])
    : []
  const destinationQuery =
    remaining.length === ownParameters.length ? url.search.slice(1) : formatParameters(remaining)
  const fullUrl = replaceQuery(url, [
    destinationQuery,
    formatParameters(visitorParameters),
    formatParameters(linkParameters),
  ])
  if (fullUrl.length <= MAX_URL) return fullUrl
  const urlWithoutVisitorQuery = replaceQuery(url, [
    destinationQuery,
    formatParameters(linkParameters),
  ])
  return urlWithoutVisitorQuery.length <= MAX_URL || parts.path === ''
    ? urlWithoutVisitorQuery
    : undefined
}

/**
 * Encodes a parameter for the query of a URL. Other programs than web servers show a plus instead of
 * a blank (RFC 6068, section 5).
 */
export function encodeParameter(url: URL, { name, value }: StoredParameter): string {
  const text = String(new URLSearchParams([[name, value]]))
  return isWebUrl(url) ? text : text.replaceAll('+', '%20')
}

/**
 * Returns the aliases with which an encoded path may start, the longest first. Omits those for which
 * the rest of the path must not be forwarded.
 */
export function listForwardingAliases(path: string): string[] {
  const segments = path.split('/')
  const aliases: string[] = []
  for (let count = Math.min(segments.length - 1, MAX_SEGMENTS); count > 0; count -= 1) {
    if (!isForwardablePath(segments.slice(count).join('/'))) continue
    const alias = decodeAlias(segments.slice(0, count))
    if (alias !== undefined) aliases.push(alias)
  }
  return aliases
}

/** Decodes the segments of an alias. Returns undefined if there cannot be such an alias. */
function decodeAlias(segments: readonly string[]): string | undefined {
  try {
    const decoded = segments.map(decodeURIComponent)
    // The rest of the path is found by counting segments.
    return decoded.some((segment) => segment.includes('/'))
      ? undefined
      : normalizeAlias(decoded.join('/'))
  } catch {
    return undefined
  }
}

/**
 * Returns whether a path may be appended to a destination. It must stay below the destination's
 * path on every server, however the server decodes dots, slashes and backslashes.
 */
export function isForwardablePath(path: string): boolean {
  if (path.length > MAX_PATH) return false
  let decoded = path
  for (let round = 0; round < MAX_DECODINGS; round += 1) {
    if (!staysBelow(decoded)) return false
    const next = decode(decoded, round === 0)
    if (next === undefined) return false
    if (next === decoded) return true
    decoded = next
  }
  // Legitimate paths are not encoded this many times.
  return false
}

function staysBelow(path: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: some URL parsers drop them.
  if (/[\\\x00-\x1f\x7f]/.test(path)) return false
  const segments = path.split('/')
  return segments.every((segment, index) => {
    // Some servers remove parameters (`..;a=b`) or trailing spaces from a segment.
    const name = segment.replace(/;.*$/s, '').trim()
    if (name === '.' || name === '..') return false
    return segment !== '' || index === segments.length - 1
  })
}

/**
 * Decodes a text once. Only the first decoding must succeed, because `100%25` becomes `100%`, which
 * is not a valid escape.
 */
function decode(text: string, isStrict: boolean): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return isStrict
      ? undefined
      : text.replaceAll(/%([0-7][0-9a-f])/gi, (_, hex) => String.fromCharCode(Number(`0x${hex}`)))
  }
}

function appendPath(url: URL, path: string): boolean {
  const base = `${url.pathname.replace(/\/$/, '')}/`
  url.pathname = base + path
  return url.pathname.startsWith(base)
}

function parseParameters(query: string): Parameter[] {
  return query
    .split('&')
    .filter((raw) => raw !== '')
    .map((raw) => ({ raw, name: new URLSearchParams(raw).keys().next().value ?? '' }))
}

function excludeParameters(
  parameters: readonly Parameter[],
  others: readonly Parameter[],
): Parameter[] {
  const names = new Set(others.map(({ name }) => name))
  return parameters.filter(({ name }) => !names.has(name))
}

function formatParameters(parameters: readonly Parameter[]): string {
  return parameters.map(({ raw }) => raw).join('&')
}

function replaceQuery(url: URL, queries: readonly string[]): string {
  const result = new URL(url)
  // Assigns `search` because `searchParams` would re-encode the destination's own query.
  result.search = queries.filter((query) => query !== '').join('&')
  return result.href
}
