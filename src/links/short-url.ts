import { normalizeAlias } from './rules/alias.ts'

/** The address of `alias` on `origin`, a scheme and host without a trailing slash. */
export function shortUrlOf(origin: string, alias: string): string {
  return `${origin}/${encodeURIComponent(alias)}`
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

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return ''
  }
}
