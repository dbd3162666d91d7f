/**
 * The parameter that QR codes add to the short URL of a link, so that scans can be told from other
 * clicks. It has no value, so a parameter of the same name with a value is an ordinary one.
 */
const MARKER = 'qr'
const MARKED_QUERY = /^[^?]*\?(?:.*&)?qr(?:&|$)/s

/** Adds the marker of scans to a URL, or to the path and query of one. */
export function addScanMarker(url: string): string {
  const [address = '', fragment] = url.split(/#(.*)/s)
  const marked = `${address}${address.includes('?') ? '&' : '?'}${MARKER}`
  return fragment === undefined ? marked : `${marked}#${fragment}`
}

/** Returns whether a URL, or the path and query of one, has the marker of scans. */
export function isScanUrl(url: string): boolean {
  // Most visits have no query, and this test is faster than the expression.
  return url.includes('?') && MARKED_QUERY.test(url)
}

/** Returns a query without the marker of scans. */
export function withoutScanMarker(query: string): string {
  return query
    .split('&')
    .filter((parameter) => parameter !== MARKER)
    .join('&')
}
