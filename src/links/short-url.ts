import { normalizeAlias } from './rules/alias.ts'

/**
 * Returns the short URL of `alias` on `origin`, which is a scheme and host without a trailing
 * slash.
 */
export function shortUrlOf(origin: string, alias: string): string {
  return `${origin}/${encodeURIComponent(alias)}`
}

/**
 * A short link as entered: an alias with an optional host, which has the form of a URL's `host`.
 */
export type ShortLink = { host: string | undefined; alias: string }

/**
 * Parses a short link that a user entered. It may have a scheme, lack a host, and be
 * percent-encoded. Returns undefined for anything else.
 */
export function parseShortLink(value: string): ShortLink | undefined {
  const alias = normalizeAlias(decode(value.trim().replace(/^\/|\/$/g, '')))
  return alias === undefined ? parseShortUrl(value.trim()) : { host: undefined, alias }
}

/**
 * Parses a short URL, with or without its scheme, into its host (in the form of a URL's `host`) and
 * alias. Returns undefined if it cannot be a short URL.
 */
export function parseShortUrl(value: string): { host: string; alias: string } | undefined {
  const text = /^https?:\/\//i.test(value) ? value : `http://${value}`
  if (!URL.canParse(text)) return undefined
  const url = new URL(text)
  if (url.search || url.hash || url.username || url.password) return undefined
  const alias = normalizeAlias(decode(url.pathname.replace(/^\/|\/$/g, '')))
  // The default port of HTTPS remains if the text has no scheme. A trailing dot is removed.
  const host = url.port === '443' ? url.hostname : url.host
  return alias === undefined ? undefined : { host: host.replace(/\.(?=:|$)/, ''), alias }
}

/**
 * Returns the decoded alias from a text that a user entered as the alias of a link on `site`, which
 * is a host with or without its scheme. The text may be the alias or a short URL on `site`. Returns
 * any other text unchanged, so that validation rejects it.
 */
export function extractAlias(value: string, site: string): string {
  const shortLink = parseShortLink(value)
  const isOnSite =
    shortLink?.host === undefined || shortLink.host === parseShortUrl(`${site}/x`)?.host
  return shortLink && isOnSite ? shortLink.alias : value
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return ''
  }
}
