import { parseWebUrl } from '../target-url.ts'

/**
 * What may stand in an `href`, `src`, `content` or `action` that leads to another site: the parsed
 * and serialised form of an absolute http or https URL, `'#'` for anything else. The serialised
 * form begins with its scheme and holds no white space, `<` or `>`, but the URL standard allows
 * quotes in a host, so it still goes through the escaping tag.
 */
export function safeHref(url: string): string {
  return parseWebUrl(url)?.href ?? '#'
}

/** The host (with a port that is not the default) of an http or https URL, else an empty string. */
export function hostOf(url: string): string {
  return parseWebUrl(url)?.host ?? ''
}

/**
 * Where a form of ours posts to: a path of this site, or an absolute http or https URL. Anything
 * else becomes `'#'`, which a browser posts to the page's own address.
 */
export function safeAction(action: string): string {
  const absolute = parseWebUrl(action)
  if (absolute) return absolute.href
  const here = 'http://here.invalid'
  const url = action.startsWith('/') && URL.parse(action, here)
  // `//host` and `/.//host` name another site once a browser resolves them.
  if (!url || url.origin !== here || url.pathname.startsWith('//')) return '#'
  return url.pathname + url.search
}
