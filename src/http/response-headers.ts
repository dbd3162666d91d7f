import type { FastifyInstance } from 'fastify'

/** Headers that keep a URL with a key out of caches and referrers. */
export const secrecyHeaders = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' }

/**
 * Prevents browsers from guessing another content type, which could turn submitted data into a page
 * (https://fetch.spec.whatwg.org/#x-content-type-options-header).
 */
export const noSniffHeader = { 'x-content-type-options': 'nosniff' }

/** Adds the header to every reply of the plugin. */
export function preventSniffing(app: FastifyInstance): void {
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(noSniffHeader)
    done()
  })
}
