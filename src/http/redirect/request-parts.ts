import type { FastifyRequest } from 'fastify'
import type { ForwardedParts } from '../../links/forwarding.ts'

/** Returns a request's path without its first slash, and its query, without decoding them. */
export function readPathAndQuery({ raw }: FastifyRequest): { path: string; query: string } {
  const [, path = '', query = ''] = /^\/?([^?]*)\??(.*)$/s.exec(decodeUtf8(raw.url ?? '')) ?? []
  return { path, query }
}

/**
 * Returns the path and query of a visit to a link that follow its alias, without decoding them. The
 * path is empty for requests that match a route, because their slashes belong to the route.
 */
export function readForwardedParts(request: FastifyRequest, alias: string): ForwardedParts {
  const { path, query } = readPathAndQuery(request)
  const rest = request.is404 ? path.split('/').slice(alias.split('/').length) : []
  return { path: rest.join('/'), query }
}

/** Decodes a URL as UTF-8, which browsers send. Node.js decodes it as Latin-1. */
function decodeUtf8(url: string): string {
  return /^[\0-\x7f]*$/.test(url) ? url : Buffer.from(url, 'latin1').toString('utf8')
}
