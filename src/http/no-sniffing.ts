import type { FastifyInstance } from 'fastify'

/**
 * Keeps browsers from taking a reply for another type than it says, which is what turns data that
 * somebody sent in into a page (https://fetch.spec.whatwg.org/#x-content-type-options-header).
 */
export const noSniffHeader = { 'x-content-type-options': 'nosniff' }

/** Puts that header on every reply of the plugin. */
export function noSniffing(app: FastifyInstance): void {
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(noSniffHeader)
    done()
  })
}
