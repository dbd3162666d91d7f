import { normalizeAlias } from './rules/alias.ts'

/** The address of `alias` on `origin`, a scheme and host without a trailing slash. */
export function shortUrlOf(origin: string, alias: string): string {
  return `${origin}/${encodeURIComponent(alias)}`
}

/** A short link as people name it: by its alias, and by its host (in a URL's `host` form) or without. */
export type ShortLink = { host: string | undefined; alias: string }

/**
 * Reads a short link as people type and paste it: with or without its scheme, or its alias alone, decoded
 * or percent-encoded. Returns undefined for anything else.
 */
export function parseShortLink(value: string): ShortLink | undefined {
  const alias = normalizeAlias(decode(value.trim().replace(/^\/|\/$/g, '')))
  return alias === undefined ? parseShortUrl(value.trim()) : { host: undefined, alias }
}

/**
 * The host (in a URL's `host` form) and alias that a short URL names, with or without its scheme;
 * undefined for what cannot be a short URL.
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
 * The alias that somebody typed for a link on `site`, a host with or without its scheme, without that host
 * and decoded; what is no alias there comes back unchanged, for the rules of aliases to reject.
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
