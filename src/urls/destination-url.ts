import { invalid } from '../errors.ts'

const MAX_BYTES = 8192

/** Schemes that run scripts in the page, read files or show internal pages. */
const FORBIDDEN_SCHEMES = new Set(
  'javascript data vbscript file blob about view-source filesystem'.split(' '),
)
/** Returns whether a URL may never be opened for a visitor or a client, by its scheme. */
export function isForbiddenScheme({ protocol }: Pick<URL, 'protocol'>): boolean {
  return FORBIDDEN_SCHEMES.has(protocol.slice(0, -1))
}

const WEB_SCHEMES = ['https:', 'http:']
/** Additional schemes of this process, which are a setting. */
let otherSchemes: readonly string[] = []

/**
 * Parses a comma-separated list of schemes.
 *
 * @throws Error if one is invalid or forbidden
 */
export function readDestinationSchemes(value: string): string[] {
  const schemes = value.split(',').map((each) =>
    each
      .trim()
      .toLowerCase()
      .replace(/:(\/\/)?$/, ''),
  )
  return [...new Set(schemes)].filter(Boolean).map((scheme) => {
    if (FORBIDDEN_SCHEMES.has(scheme)) throw new Error(`must not contain ${scheme}`)
    if (!/^[a-z][a-z0-9+.-]*$/.test(scheme)) {
      throw new Error(
        `must be schemes such as mailto,tel, separated by commas (it has '${scheme}')`,
      )
    }
    return `${scheme}:`
  })
}

/** Sets the schemes, besides http and https, that destinations may have in this process. */
export function allowDestinationSchemes(schemes: readonly string[]): void {
  otherSchemes = schemes.filter((scheme) => !WEB_SCHEMES.includes(scheme))
}

/** Returns the schemes of destinations with their colons, as sources of a security policy. */
export function listDestinationSchemes(): string[] {
  return [...WEB_SCHEMES, ...otherSchemes]
}

/**
 * Validates the URL of a destination or link. After parsing by the WHATWG URL standard
 * (https://url.spec.whatwg.org/), as in browsers, it must be http, https or have one of the allowed
 * schemes. For example, `java\nscript:` is `javascript:`. Rejects credentials, which can disguise the
 * real host. The result's `href` is pure ASCII without blanks, and the limit applies to it.
 *
 * @throws AppError `invalid_input` naming `field`
 */
export function parseDestinationUrl(field: string, value: string): URL {
  return check(field, parseAllowedUrl(value), listDestinationSchemes())
}

/** Validates a URL like `parseDestinationUrl`, but it must be http or https, such as an image's. */
export function parseHttpUrl(field: string, value: string): URL {
  return check(field, parseWebUrl(value), WEB_SCHEMES)
}

function check(field: string, url: URL | undefined, schemes: readonly string[]): URL {
  if (!url) {
    const names = schemes.map((each) => each.slice(0, -1)).join(', ')
    throw schemes.length > WEB_SCHEMES.length
      ? invalid(field, 'url_of_schemes', { schemes: names })
      : invalid(field, 'url_valid')
  }
  if (hasCredentials(url)) throw invalid(field, 'credentials')
  if (url.href.length > MAX_BYTES) throw invalid(field, 'at_most_bytes', { max: MAX_BYTES })
  return url
}

/**
 * Validates a stored destination again before redirecting. Returns its `href`, or undefined if it
 * no longer passes.
 */
export function toFollowableHref(value: string): string | undefined {
  const url = parseAllowedUrl(value)
  return url && !hasCredentials(url) ? url.href : undefined
}

/** Parses an absolute http or https URL with a host. Returns undefined for anything else. */
export function parseWebUrl(value: string): URL | undefined {
  const url = URL.parse(value)
  return url && isWebUrl(url) ? url : undefined
}

export function isWebUrl({ protocol }: Pick<URL, 'protocol'>): boolean {
  return protocol === 'http:' || protocol === 'https:'
}

/** Parses an absolute URL with an allowed scheme. Returns undefined for anything else. */
export function parseAllowedUrl(value: string): URL | undefined {
  const url = URL.parse(value)
  if (!url || isWebUrl(url)) return url ?? undefined
  const isEmpty = /^[^:]*:\/*$/.test(url.href)
  if (!otherSchemes.includes(url.protocol) || isEmpty) return undefined
  // Unlike the paths of web URLs, these may contain blanks and quotes.
  return URL.parse(url.href.replaceAll(/[ "<>\\^`{|}]/g, encodeURIComponent)) ?? undefined
}

/** Returns what a URL leads to, for people: its host or, without one, the URL itself. */
export function describeTarget(url: URL): string {
  return isWebUrl(url) ? url.host : url.href.replace(/\?.*$/s, '').slice(0, 200)
}

/** Schemes that numbers may follow. Such URLs look like a host and a port. */
const NUMBER_SCHEMES =
  /^(?:callto|facetime|facetime-audio|fax|mms|sip|sips|skype|sms|smsto|tel|urn):/i

/**
 * Adds `https://` to an entered destination that begins with a host: a name with a dot or a port, or
 * `localhost`. Returns any other text trimmed, because single words are probably mistakes, and
 * `javascript:1` is a script.
 */
export function addScheme(input: string): string {
  const text = input.trim()
  if (hasOtherScheme(text)) return text
  const [, name = '', port] = /^([^/?#\\]*?)(:\d{1,5})?(?:[/?#\\]|$)/.exec(text) ?? []
  const isHost =
    port === undefined
      ? !name.includes(':') && (/[.。]/.test(name) || name.toLowerCase() === 'localhost')
      : name !== '' && !NUMBER_SCHEMES.test(text) && !FORBIDDEN_SCHEMES.has(name.toLowerCase())
  return isHost ? `https://${text}` : text
}

/** Adds `http://` to a text without a scheme, like YOURLS. */
export function addHttp(text: string): string {
  return hasOtherScheme(text) || /^([a-z][a-z0-9+-]*:|[/?#]|$)/i.test(text.trim())
    ? text.trim()
    : `http://${text.trim()}`
}

function hasOtherScheme(text: string): boolean {
  return otherSchemes.some((scheme) => text.trim().toLowerCase().startsWith(scheme))
}

/** Returns whether a URL contains a user name or password. */
export function hasCredentials({ username, password }: URL): boolean {
  return username !== '' || password !== ''
}
