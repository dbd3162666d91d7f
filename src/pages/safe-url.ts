import { describeTarget, parseAllowedUrl, parseWebUrl } from '../urls/destination-url.ts'

/**
 * Returns the serialized form of an absolute URL with an allowed scheme for an `href`, `src`, `content` or
 * `action`. Returns `'#'` for anything else. The result starts with its scheme and contains no
 * whitespace, `<` or `>`. It must still be escaped, because the URL standard allows quotes in a
 * host.
 */
export function safeHref(url: string): string {
  return parseAllowedUrl(url)?.href ?? '#'
}

/**
 * Returns the host of an http or https URL, including a non-default port, or a URL with another
 * allowed scheme without its query. Returns an empty string for anything else.
 */
export function hostOf(url: string): string {
  const parsed = parseAllowedUrl(url)
  return parsed ? describeTarget(parsed) : ''
}

/** Decodes a URL or a part of it for display. Returns one that is not valid UTF-8 as it is. */
export function decodeUrl(url: string): string {
  try {
    return decodeURI(url)
  } catch {
    return url
  }
}

/**
 * Returns the URL for the action of a form: a path on this site, or an absolute http or https URL.
 * Anything else becomes `'#'`, which posts to the page's own URL.
 */
export function safeAction(action: string): string {
  const absolute = parseWebUrl(action)
  if (absolute) return absolute.href
  const baseOrigin = 'http://here.invalid'
  const url = action.startsWith('/') && URL.parse(action, baseOrigin)
  // Browsers treat `//host` and `/.//host` as another site.
  if (!url || url.origin !== baseOrigin || url.pathname.startsWith('//')) return '#'
  return url.pathname + url.search
}
