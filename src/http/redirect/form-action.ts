import type { FastifyRequest } from 'fastify'
import type { VisitLink } from '../../links/link.ts'
import { buildLinkPath } from '../html/send-page.ts'
import { readForwardedParts } from './request-parts.ts'

/** Returns the path that a link's forms post to, including the path and query that it forwards. */
export function buildFormAction(link: VisitLink, request: FastifyRequest): string {
  const { forwarding } = link
  if (!forwarding) return buildLinkPath(link)
  const { path, query } = readForwardedParts(request, link.alias)
  const forwardedPath = forwarding.path && path !== '' ? `/${path}` : ''
  const forwardedQuery = forwarding.query && query !== '' ? `?${query}` : ''
  return buildLinkPath(link) + forwardedPath + forwardedQuery
}
