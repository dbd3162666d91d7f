/**
 * Additions to the common content security policy. The module of each page declares what the page
 * needs.
 */
export type CspExtras = {
  /** URLs that the page's scripts may request. */
  connectSrc?: readonly string[]
  frameSrc?: readonly string[]
  imgSrc?: readonly string[]
  formAction?: readonly string[]
  /** Sites that may frame the page. Defaults to none. */
  frameAncestors?: readonly string[]
  /** Whether to sandbox the page, so that it has no scripts, forms or origin. */
  sandbox?: boolean
}

/**
 * Allows a page's inline code. A `nonce`, which is new for every response, allows its style and
 * script. A SHA-256 hash allows only the style of a static page without scripts. Both are in
 * base64.
 */
export type Inline = { nonce: string } | { styleHash: string }

/**
 * Returns the `Content-Security-Policy` of a page. It allows only the page's inline style and
 * script (by `nonce` or `styleHash`), images from this site and from `data:` URLs, forms that post to
 * this site, and the extras. `formAction` replaces the default `'self'`.
 *
 * Throws a TypeError if a nonce or hash is not base64, or if a source is empty or contains whitespace
 * or a character that ends its directive.
 */
export function contentSecurityPolicy({
  connectSrc = [],
  frameSrc = [],
  imgSrc = [],
  formAction = ["'self'"],
  frameAncestors = ["'none'"],
  sandbox = false,
  ...inline
}: CspExtras & Inline): string {
  const [style, script] =
    'nonce' in inline
      ? [quoteSource('nonce', inline.nonce), quoteSource('nonce', inline.nonce)]
      : [quoteSource('sha256', inline.styleHash), "'none'"]
  return [
    "default-src 'none'",
    `style-src ${style}`,
    `script-src ${script}`,
    ...(connectSrc.length > 0 ? [formatDirective('connect-src', connectSrc)] : []),
    formatDirective('img-src', ["'self'", 'data:', ...imgSrc]),
    formatDirective('frame-src', frameSrc.length > 0 ? frameSrc : ["'none'"]),
    formatDirective('form-action', formAction),
    "base-uri 'none'",
    formatDirective('frame-ancestors', frameAncestors),
    ...(sandbox ? ['sandbox'] : []),
  ].join('; ')
}

/**
 * Returns the distinct origins of the URLs as CSP sources. Skips URLs that are not http or https.
 * Also skips hosts with characters that have a meaning in a policy: the URL standard allows
 * `https://a;sandbox/`, which would add a directive.
 */
export function originsOf(urls: readonly (string | undefined)[]): string[] {
  const origins = urls.map((url) => URL.parse(url ?? '')?.origin ?? '')
  return [...new Set(origins)].filter((origin) => /^https?:\/\/[\w.:[\]-]+$/.test(origin))
}

function quoteSource(kind: 'nonce' | 'sha256', value: string): string {
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(value)) throw new TypeError(`the ${kind} is not base64`)
  return `'${kind}-${value}'`
}

function formatDirective(name: string, sources: readonly string[]): string {
  for (const source of sources) {
    if (!/^[^\s;,]+$/.test(source)) throw new TypeError(`not a source for ${name}: ${source}`)
  }
  return `${name} ${[...new Set(sources)].join(' ')}`
}
