import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { HttpContext } from '../context.ts'
import { type Brand, NO_BRAND } from '../domains/branded-domain.ts'
import type { Host } from '../domains/hosts.ts'
import { isDefaultBrand } from '../pages/branding.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The host of a visit. Undefined until it is resolved. */
    visitedHost: Host | undefined
  }
  interface FastifyInstance {
    /**
     * Returns the brand for visitor pages on a request's host, or undefined for the default style.
     */
    brandOf: (request: FastifyRequest) => Brand | undefined
    /** The name of the installation. */
    siteName: string
  }
}

/**
 * Adds `brandOf` and `siteName` to the application. `brandOf` uses the visit's resolved host, or else
 * the host cache. If neither knows a host name, for example while the database is unavailable, it uses
 * `NO_BRAND`, because the name may belong to a branded domain.
 */
export function decorateBrandOf(
  app: FastifyInstance,
  { hosts, config }: Pick<HttpContext, 'hosts' | 'config'>,
): void {
  app.decorate('siteName', config.siteName)
  app.decorateRequest('visitedHost', undefined)
  app.decorate('brandOf', ({ headers, visitedHost }: FastifyRequest) => {
    const hostHeader = headers.host ?? ''
    const host = visitedHost ?? hosts.peek(hostHeader)
    if (host?.kind === 'service' || (!host && hosts.isMachine(hostHeader))) return undefined
    const brand = host?.kind === 'domain' ? host.domain.brand : NO_BRAND
    return brand && !isDefaultBrand(brand) ? brand : undefined
  })
}
