import { normalizeAlias } from './alias.ts'
import { withoutScanMarker } from './scan-marker.ts'

/**
 * Returns the short URL of `alias` on `origin`, which is a scheme and host without a trailing
 * slash.
 */
export function shortUrlOf(origin: string, alias: string): string {
  return origin + toAliasPath(alias)
}

/** Returns the path of `alias`, with each of its segments percent-encoded. */
export function toAliasPath(alias: string): string {
  return `/${encodeURIComponent(alias).replaceAll('%2F', '/')}`
}

/**
 * A short link as entered: an alias with an optional host, which has the form of a URL's `host`.
 */
export type ShortLink = { host: string | undefined; alias: string }

/**
 * Parses an alias that a user entered, which may be percent-encoded or have a slash around it.
 * Returns undefined for anything else. A short URL without a scheme may also be an alias.
 */
export function parseEnteredAlias(value: string): string | undefined {
  return normalizeAlias(decode(value.trim().replace(/^\/|\/$/g, '')))
}

/**
 * Parses a short URL, with or without its scheme, into its host (in the form of a URL's `host`) and
 * alias. Returns undefined if it cannot be a short URL.
 */
export function parseShortUrl(value: string): { host: string; alias: string } | undefined {
  const text = hasScheme(value) ? value : `http://${value}`
  // The parser of URLs would silently remove dot segments.
  if (/[/\\](?:\.|%2e){1,2}(?:[/\\?#]|$)/i.test(text) || !URL.canParse(text)) return undefined
  const url = new URL(text)
  if (withoutScanMarker(url.search.slice(1)) || url.hash || url.username || url.password)
    return undefined
  const alias = normalizeAlias(decode(url.pathname.replace(/^\/|\/$/g, '')))
  // The default port of HTTPS remains if the text has no scheme. A trailing dot is removed.
  const host = url.port === '443' ? url.hostname : url.host
  return alias === undefined ? undefined : { host: host.replace(/\.(?=:|$)/, ''), alias }
}

/**
 * Parses a short link that a user entered. It may have a scheme, lack a host, and be
 * percent-encoded. Since aliases can have dots and slashes, a text without a scheme starts with a
 * host only if `isOurs` knows it. Returns undefined for anything else.
 */
export async function parseShortLink(
  value: string,
  isOurs: (host: string) => Promise<boolean>,
): Promise<ShortLink | undefined> {
  const text = value.trim()
  const shortUrl = parseShortUrl(text)
  if (shortUrl && (hasScheme(text) || (await isOurs(shortUrl.host)))) return shortUrl
  const alias = parseEnteredAlias(text)
  return alias === undefined ? undefined : { host: undefined, alias }
}

/**
 * Returns the decoded alias from a text that a user entered as the alias of a link on `site`, which
 * is a host with or without its scheme. The text may be the alias or a short URL on `site`. Returns
 * any other text unchanged, so that validation rejects it.
 */
export function extractAlias(value: string, site: string): string {
  const shortUrl = parseShortUrl(value.trim())
  const isOnSite = shortUrl !== undefined && shortUrl.host === parseShortUrl(`${site}/x`)?.host
  return (isOnSite ? shortUrl.alias : parseEnteredAlias(value)) ?? value
}

function hasScheme(text: string): boolean {
  return /^https?:\/\//i.test(text)
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return ''
  }
}
