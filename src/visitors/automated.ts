import type { IncomingHttpHeaders } from 'node:http'

/** The part of a request that tells browsers from programs that name one. */
type BrowserRequest = {
  readonly headers: IncomingHttpHeaders
  /** The visitor's protocol, as a trusted proxy reports it or else as that of the connection. */
  readonly protocol: string
}

/**
 * Returns whether a visit came over https with neither `Accept-Language` nor `Sec-Fetch-*`. Browsers
 * send the latter to https only (W3C Fetch Metadata, section 2), so over http nothing is known.
 */
export function lacksBrowserHeaders(request: BrowserRequest): boolean {
  const { headers } = request
  // Ends here for almost every visit.
  if (headers['accept-language']) return false
  return (
    headers['sec-fetch-site'] === undefined &&
    headers['sec-fetch-mode'] === undefined &&
    headers['sec-fetch-dest'] === undefined &&
    request.protocol === 'https'
  )
}

/**
 * The usual User-Agents of browsers that send `Accept-Language`, and from a version on `Sec-Fetch-*`
 * (MDN browser compatibility data; for Chrome the version that sends all three). One token more, as
 * of an app or a WebView, and a User-Agent does not match: what such programs send is not known.
 */
const BROWSERS: readonly { pattern: RegExp; since: [major: number, minor: number] }[] = [
  {
    // Also Brave, Edge, Opera, Samsung Internet and Vivaldi.
    pattern:
      /^Mozilla\/5\.0 \((?:Windows NT|Macintosh|X11|Linux; Android)(?![^()]*; wv)[^()]*\) AppleWebKit\/537\.36 \(KHTML, like Gecko\) (?:SamsungBrowser\/[\d.]+ )?Chrome\/(\d{1,4})\.(\d{1,4})[\d.]* (?:Mobile )?Safari\/537\.36(?: (?:Edg|EdgA|OPR|Vivaldi)\/[\d.]+)?$/,
    since: [80, 0],
  },
  {
    pattern:
      /^Mozilla\/5\.0 \([^()]*; rv:[\d.]+\) Gecko\/[\d.]+ Firefox\/(\d{1,4})\.(\d{1,4})[\d.]*$/,
    since: [90, 0],
  },
  {
    pattern:
      /^Mozilla\/5\.0 \((?:Macintosh|iPhone|iPad|iPod)[^()]*\) AppleWebKit\/[\d.]+ \(KHTML, like Gecko\) Version\/(\d{1,4})\.(\d{1,4})[\d.]* (?:Mobile\/\w+ )?Safari\/[\d.]+$/,
    since: [16, 4],
  },
]

/** Returns whether a User-Agent names a browser that always sends these headers over https. */
export function namesFullBrowser(userAgent: string): boolean {
  return BROWSERS.some(({ pattern, since: [major, minor] }) => {
    const found = pattern.exec(userAgent)
    if (found === null) return false
    const [foundMajor, foundMinor] = [Number(found[1]), Number(found[2])]
    return foundMajor > major || (foundMajor === major && foundMinor >= minor)
  })
}
