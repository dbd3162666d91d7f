import type { FastifyRequest } from 'fastify'
import type { ForwardedParts } from '../../links/forwarding.ts'

/**
 * Returns the path and query of a request after its alias, as sent. The path is empty for requests
 * with a route, whose slashes belong to the route.
 */
export function partsOf({ raw, is404 }: FastifyRequest): ForwardedParts & { alias: string } {
  const [, path = '', query = ''] = /^([^?]*)\??(.*)$/s.exec(toText(raw.url ?? '')) ?? []
  const [, alias = '', rest = ''] = /^\/([^/]*)\/?(.*)$/s.exec(path) ?? []
  return { alias, path: is404 ? rest : '', query }
}

/** Node.js reads bytes beyond ASCII as Latin-1. Browsers send UTF-8. */
function toText(url: string): string {
  return /^[\0-\x7f]*$/.test(url) ? url : Buffer.from(url, 'latin1').toString('utf8')
}
