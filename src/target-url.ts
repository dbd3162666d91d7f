import { invalid } from './errors.ts'

const MAX_BYTES = 8192

/**
 * The one rule for where a link may lead: http or https after parsing by the WHATWG URL standard
 * (https://url.spec.whatwg.org/), so that what is checked is what a browser would open; `java\nscript:`
 * is `javascript:` there. Credentials are refused because they dress up a foreign host.
 * Gives the parser's `href`, which is pure ASCII.
 *
 * @throws AppError `invalid_input` naming `field`
 */
export function parseTargetUrl(field: string, value: string): URL {
  if (Buffer.byteLength(value) > MAX_BYTES)
    throw invalid(field, `must be at most ${MAX_BYTES} bytes`)
  const url = parseWebUrl(value)
  if (!url) throw invalid(field, 'must be a valid http or https URL')
  if (hasCredentials(url)) throw invalid(field, 'must not contain a user name or password')
  return url
}

/** The same rule on the way out: `href` again, or undefined where the stored text no longer passes. */
export function followableHref(value: string): string | undefined {
  const url = parseWebUrl(value)
  return url && !hasCredentials(url) ? url.href : undefined
}

/** An absolute http or https URL, to which the parser gives no empty host; undefined for all else. */
export function parseWebUrl(value: string): URL | undefined {
  const url = URL.parse(value)
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? url : undefined
}

export function hasCredentials({ username, password }: URL): boolean {
  return username !== '' || password !== ''
}
