import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { HttpContext } from '../context.ts'
import { type Brand, NO_BRAND } from '../domains/brand.ts'
import type { Host } from '../domains/hosts.ts'
import { isDefault } from '../pages/branding.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The host of a visit, once it is resolved. */
    visitedHost: Host | undefined
  }
  interface FastifyInstance {
    /** Returns the look of the visitor pages of a request's host; undefined for the usual one. */
    brandOf: (request: FastifyRequest) => Brand | undefined
  }
}

/**
 * Lets pages ask for the brand of a request's host, as its visit resolved it or else from memory. A host that
 * is not known, for example because the database is away, gets no brand rather than another one.
 */
export function decorateBrandOf(app: FastifyInstance, { hosts }: Pick<HttpContext, 'hosts'>): void {
  app.decorateRequest('visitedHost', undefined)
  app.decorate('brandOf', ({ headers, visitedHost }: FastifyRequest) => {
    const header = headers.host ?? ''
    const host = visitedHost ?? hosts.peek(header)
    if (host?.kind === 'service' || (!host && hosts.isMachine(header))) return undefined
    const brand = host?.kind === 'domain' ? host.domain.brand : NO_BRAND
    return brand && !isDefault(brand) ? brand : undefined
  })
}
