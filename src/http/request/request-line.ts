import type { IncomingMessage } from 'node:http'

/**
 * The path and query that a request asks for. A request line may also hold the whole URL, whose host
 * then stands before the `Host` header (RFC 9112, section 3.2.2). Old integrations join a base address
 * that ends in a slash with a path that begins with one.
 */
export function readTarget(request: Pick<IncomingMessage, 'url' | 'headers'>): string {
  const { url = '/' } = request
  if (!url.startsWith('/')) return readAbsolute(request, url)
  return /^\/\/(?:api\/|yourls-api\.php(?:\?|$))/.test(url) ? url.slice(1) : url
}

function readAbsolute({ headers }: Pick<IncomingMessage, 'headers'>, url: string): string {
  const [, host, rest = ''] = /^https?:\/\/([^/?#]*)(.*)$/i.exec(url) ?? []
  if (host === undefined) return url
  headers.host = host
  return rest.startsWith('/') ? rest : `/${rest}`
}

/**
 * Whether a request says once to which host it goes. Two answers may be read differently by a proxy
 * and by us; HTTP/1.0 knew of none (RFC 9112, section 3.2).
 */
export function namesOneHost({ httpVersion, rawHeaders }: IncomingMessage): boolean {
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1
  }
  return hosts === 1 || (hosts === 0 && httpVersion === '1.0')
}
