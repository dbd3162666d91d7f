import { normalizeAlias } from './rules/alias.ts'

/** Returns the short URL of `alias` on `origin`, a scheme and host without a trailing slash. */
export function shortUrlOf(origin: string, alias: string): string {
  return `${origin}/${encodeURIComponent(alias)}`
}

/** A short link as typed: its alias, with an optional host (in a URL's `host` form). */
export type ShortLink = { host: string | undefined; alias: string }

/**
 * Parses a typed or pasted short link: with or without its scheme, or the alias alone, decoded or
 * percent-encoded. Returns undefined for anything else.
 */
export function parseShortLink(value: string): ShortLink | undefined {
  const alias = normalizeAlias(decode(value.trim().replace(/^\/|\/$/g, '')))
  return alias === undefined ? parseShortUrl(value.trim()) : { host: undefined, alias }
}

/**
 * Parses a short URL with or without its scheme into its host (in a URL's `host` form) and alias.
 * Returns undefined if it cannot be a short URL.
 */
export function parseShortUrl(value: string): { host: string; alias: string } | undefined {
  const text = /^https?:\/\//i.test(value) ? value : `http://${value}`
  if (!URL.canParse(text)) return undefined
  const url = new URL(text)
  if (url.search || url.hash || url.username || url.password) return undefined
  const alias = normalizeAlias(decode(url.pathname.replace(/^\/|\/$/g, '')))
  const host = url.port === '443' ? url.hostname : url.host
  return alias === undefined ? undefined : { host: host.replace(/\.(?=:|$)/, ''), alias }
}

/**
 * Returns the decoded alias from text typed for a link on `site` (a host with or without its
 * scheme), with that host removed. Text that is not an alias there is returned unchanged, so that
 * validation rejects it.
 */
export function typedAlias(value: string, site: string): string {
  const named = parseShortLink(value)
  const isThere = named?.host === undefined || named.host === parseShortUrl(`${site}/x`)?.host
  return named && isThere ? named.alias : value
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return ''
  }
}
