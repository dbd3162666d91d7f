/** What a page needs on top of the common policy; each page's module says what it needs. */
export type CspExtras = {
  /** Where scripts of the page may ask for more. */
  connectSrc?: readonly string[]
  frameSrc?: readonly string[]
  imgSrc?: readonly string[]
  formAction?: readonly string[]
  /** Who may show the page in a frame; nobody by default. */
  frameAncestors?: readonly string[]
  /** Whether it is a page to look at alone: no scripts, no forms, and of no origin. */
  sandbox?: boolean
}

/**
 * What names the inline style and script of a page: a `nonce`, new with every reply, or for a page that
 * is always the same and has no script the SHA-256 of its style. Both are base64.
 */
export type Inline = { nonce: string } | { styleHash: string }

/**
 * The value of `Content-Security-Policy` for a page. Nothing is allowed but our own inline style
 * and script, named by `nonce` or `styleHash`, images of our own, and what the extras add.
 * `formAction` replaces the default, `'self'`, since a page that needs more says so itself.
 *
 * Throws a TypeError when a source or the nonce or hash could end its directive and begin another.
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
      ? [quoted('nonce', inline.nonce), quoted('nonce', inline.nonce)]
      : [quoted('sha256', inline.styleHash), "'none'"]
  return [
    "default-src 'none'",
    `style-src ${style}`,
    `script-src ${script}`,
    ...(connectSrc.length > 0 ? [directive('connect-src', connectSrc)] : []),
    directive('img-src', ["'self'", 'data:', ...imgSrc]),
    directive('frame-src', frameSrc.length > 0 ? frameSrc : ["'none'"]),
    directive('form-action', formAction),
    "base-uri 'none'",
    directive('frame-ancestors', frameAncestors),
    ...(sandbox ? ['sandbox'] : []),
  ].join('; ')
}

/**
 * The origins of the given URLs, each once, as CSP sources. Left out are URLs that are not http
 * or https and hosts with characters that mean something in a policy: the URL standard allows
 * `https://a;sandbox/`, which would add a directive.
 */
export function originsOf(urls: readonly (string | undefined)[]): string[] {
  const origins = urls.map((url) => URL.parse(url ?? '')?.origin ?? '')
  return [...new Set(origins)].filter((origin) => /^https?:\/\/[\w.:[\]-]+$/.test(origin))
}

function quoted(kind: 'nonce' | 'sha256', value: string): string {
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(value)) throw new TypeError(`the ${kind} is not base64`)
  return `'${kind}-${value}'`
}

function directive(name: string, sources: readonly string[]): string {
  for (const source of sources) {
    if (!/^[^\s;,]+$/.test(source)) throw new TypeError(`not a source for ${name}: ${source}`)
  }
  return `${name} ${[...new Set(sources)].join(' ')}`
}
