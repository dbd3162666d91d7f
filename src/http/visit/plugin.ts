import cookie from '@fastify/cookie'
import formbody from '@fastify/formbody'
import type { FastifyInstance } from 'fastify'
import type { Services } from '../../services.ts'
import { sendNotFound } from './not-found.ts'
import { qrImageRoutes } from './qr-image.ts'
import { sendPageRefusal } from './refusal.ts'
import { shortLinkRoutes } from './short-links.ts'
import { siteRoutes } from './site.ts'
import { createVisit } from './visit.ts'
import { wellKnownRoutes } from './well-known.ts'

/** What visitors meet: short links and the pages around them. */
export function visitorPages(services: Services) {
  return async function plugin(app: FastifyInstance): Promise<void> {
    await app.register(cookie)
    await app.register(formbody, { bodyLimit: 64 * 1024 })
    app.setErrorHandler((error, request, reply) => sendPageRefusal(services, error, request, reply))
    app.setNotFoundHandler(async (request, reply) =>
      sendNotFound(services, reply, await services.hosts.resolve(request.headers.host ?? '')),
    )
    siteRoutes(app, services)
    wellKnownRoutes(app, services)
    qrImageRoutes(app, services)
    shortLinkRoutes(app, services, createVisit(services))
  }
}
