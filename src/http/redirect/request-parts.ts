import type { FastifyRequest } from 'fastify'
import type { ForwardedParts } from '../../links/forwarding.ts'

/**
 * Returns a request's alias, and the path and query after it, without decoding them. The path is
 * empty for requests that match a route, because their slashes belong to the route.
 */
export function readRequestParts({
  raw,
  is404,
}: FastifyRequest): ForwardedParts & { alias: string } {
  const [, path = '', query = ''] = /^([^?]*)\??(.*)$/s.exec(decodeUtf8(raw.url ?? '')) ?? []
  const [, alias = '', rest = ''] = /^\/([^/]*)\/?(.*)$/s.exec(path) ?? []
  return { alias, path: is404 ? rest : '', query }
}

/** Decodes a URL as UTF-8, which browsers send. Node.js decodes it as Latin-1. */
function decodeUtf8(url: string): string {
  return /^[\0-\x7f]*$/.test(url) ? url : Buffer.from(url, 'latin1').toString('utf8')
}
