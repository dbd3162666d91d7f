import type { IncomingMessage } from 'node:http'

/**
 * Returns the path and query of a request. If the request line contains an absolute URL, its host
 * replaces the `Host` header (RFC 9112, section 3.2.2). Removes a doubled slash at the start of an
 * API path, because legacy integrations append a path that starts with a slash to a base URL that
 * ends in one. Returns other forms, such as `*`, unchanged.
 */
export function readRequestTarget(request: Pick<IncomingMessage, 'url' | 'headers'>): string {
  const { url = '/' } = request
  if (!url.startsWith('/')) return readAbsoluteUrl(request, url)
  return /^\/\/(?:api\/|yourls-api\.php(?:\?|$))/.test(url) ? url.slice(1) : url
}

function readAbsoluteUrl({ headers }: Pick<IncomingMessage, 'headers'>, url: string): string {
  const [, host, pathAndQuery = ''] = /^https?:\/\/([^/?#]*)(.*)$/i.exec(url) ?? []
  if (host === undefined) return url
  headers.host = host
  return pathAndQuery.startsWith('/') ? pathAndQuery : `/${pathAndQuery}`
}

/**
 * Returns whether a request has exactly one `Host` header. If there were two, a proxy and this
 * server could use different ones. HTTP/1.0 requests may omit it (RFC 9112, section 3.2).
 */
export function hasSingleHost({ httpVersion, rawHeaders }: IncomingMessage): boolean {
  let hostHeaders = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]
    if (name?.length === 4 && name.toLowerCase() === 'host') hostHeaders += 1
  }
  return hostHeaders === 1 || (hostHeaders === 0 && httpVersion === '1.0')
}
