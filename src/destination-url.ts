import { invalid } from './errors.ts'

const MAX_BYTES = 8192

/**
 * Validates the URL of a destination, link or image. It must be an http or https URL after parsing by the WHATWG URL standard
 * (https://url.spec.whatwg.org/), as in browsers. For example, `java\nscript:` is `javascript:`.
 * Rejects credentials, which can disguise the real host. The result's `href` is pure ASCII.
 *
 * @throws AppError `invalid_input` naming `field`
 */
export function parseDestinationUrl(field: string, value: string): URL {
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
export function toFollowableHref(value: string): string | undefined {
  const url = parseWebUrl(value)
  return url && !hasCredentials(url) ? url.href : undefined
}

/** Parses an absolute http or https URL with a host. Returns undefined for anything else. */
export function parseWebUrl(value: string): URL | undefined {
  const url = URL.parse(value)
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? url : undefined
}

/** Schemes that numbers may follow. Such URLs look like a host and a port. */
const NUMBER_SCHEMES =
  /^(?:callto|facetime|facetime-audio|fax|mms|sip|sips|skype|sms|smsto|tel|urn):/i

/**
 * Adds `https://` to an entered destination that begins with a host: a name with a dot or a port, or
 * `localhost`. Returns any other text trimmed, because single words are probably mistakes.
 */
export function addScheme(input: string): string {
  const text = input.trim()
  const [, name = '', port] = /^([^/?#\\]*?)(:\d{1,5})?(?:[/?#\\]|$)/.exec(text) ?? []
  const isHost =
    port === undefined
      ? !name.includes(':') && (/[.。]/.test(name) || name.toLowerCase() === 'localhost')
      : name !== '' && !NUMBER_SCHEMES.test(text)
  return isHost ? `https://${text}` : text
}

/** Adds `http://` to a text without a scheme, like YOURLS. */
export function addHttp(text: string): string {
  return /^([a-z][a-z0-9+-]*:|[/?#]|$)/i.test(text.trim()) ? text.trim() : `http://${text.trim()}`
}

/** Returns whether a URL contains a user name or password. */
export function hasCredentials({ username, password }: URL): boolean {
  return username !== '' || password !== ''
}
