import type { FastifyRequest } from 'fastify'
import { type KeyLinks, limitToDomain } from '../../links/domain-links.ts'
import type { Services } from '../../services.ts'

/** The links that the key of a request reaches: all of its account or, if it is bound, of one domain. */
export function linksOf(
  { links }: Pick<Services, 'links'>,
  { key }: Pick<FastifyRequest, 'key'>,
): KeyLinks {
  return key.domain ? limitToDomain(links, key.domain) : links
}
