import type { FastifyRequest } from 'fastify'
import type { VisitLink } from '../../links/link.ts'
import { formAction } from '../html/send-page.ts'
import { readRequestParts } from './request-parts.ts'

/** Returns the URL that a link's forms post to, including the path and query that it forwards. */
export function findFormTarget(link: VisitLink, request: FastifyRequest): string {
  const { forwarding } = link
  if (!forwarding) return formAction(link)
  const { path, query } = readRequestParts(request)
  const forwardedPath = forwarding.path && path !== '' ? `/${path}` : ''
  const forwardedQuery = forwarding.query && query !== '' ? `?${query}` : ''
  return formAction(link) + forwardedPath + forwardedQuery
}
