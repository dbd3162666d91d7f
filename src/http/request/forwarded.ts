import type { IncomingHttpHeaders } from 'node:http'

/**
 * Matches headers that proxies and CDNs add to forwarded requests: the standard ones (RFC 7239, RFC
 * 9110, RFC 8586), all variants of the client's IP address, such as `CF-Connecting-IP`,
 * `True-Client-IP` and `CloudFront-Viewer-Address`, and any `X-` header, such as `X-Varnish`, except
 * those of Prometheus.
 */
const FORWARDING_HEADER =
  /^(?:(?:.*-)?forwarded(?:-.*)?|x-(?!prometheus-).*|via|cdn-.*|cf-.*|(?:fastly|akamai|cloudfront|incap|ali|surrogate|front-end)-.*|.*(?:client|connecting|connection|real|remote|originating|cluster|external|user|peer|socket|viewer|source|src)-?(?:ip(?:v[46])?|addr|address))$/

/** Returns whether a request was forwarded by any proxy, trusted or not. */
export function isForwarded(headers: IncomingHttpHeaders): boolean {
  return Object.keys(headers).some((name) => FORWARDING_HEADER.test(name))
}
