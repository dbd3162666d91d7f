import { invalid } from './errors.ts'

const MAX_BYTES = 8192

/**
 * Validates a destination: http or https after parsing by the WHATWG URL standard
 * (https://url.spec.whatwg.org/), so that the checked URL is the one a browser opens; for example,
 * `java\nscript:` is `javascript:`. Rejects credentials, which can disguise the real host. The
 * result's `href` is pure ASCII.
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

/**
 * Validates a stored destination again before redirecting. Returns its `href`, or undefined if it
 * no longer passes.
 */
export function followableHref(value: string): string | undefined {
  const url = parseWebUrl(value)
  return url && !hasCredentials(url) ? url.href : undefined
}

/** Parses an absolute http or https URL with a host. Returns undefined for anything else. */
export function parseWebUrl(value: string): URL | undefined {
  const url = URL.parse(value)
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? url : undefined
}

/**
 * Returns a destination that a person typed, with a scheme if it had none. A scheme has no dot, so `a.example:80`
 * is a host.
 */
export function withScheme(typed: string, scheme: 'http' | 'https' = 'https'): string {
  const text = typed.trim()
  return /^([a-z][a-z0-9+-]*:|[/?#]|$)/i.test(text) ? text : `${scheme}://${text}`
}

export function hasCredentials({ username, password }: URL): boolean {
  return username !== '' || password !== ''
}
