import type { FastifyInstance, HTTPMethods } from 'fastify'
import { AppError } from '../errors.ts'

/** Not imported: that would ask for all that `node:http` has, and with it load its client of WebSockets. */
const { METHODS } = process.getBuiltinModule('node:http')

/**
 * Answers every other method on the routes that the plugin declares with 405 and `Allow`. Call
 * `finish` after the last route.
 */
export function createMethodGuard(app: FastifyInstance): { finish(): void } {
  const allowed = new Map<string, Set<string>>()
  app.addHook('onRoute', ({ url, method, path }) => {
    if (url.includes('*') && method === 'OPTIONS') return
    const methods = allowed.get(path) ?? new Set()
    for (const each of [method].flat()) methods.add(each)
    allowed.set(path, methods)
  })
  return {
    finish() {
      // OPTIONS is answered by CORS, CONNECT never reaches a route.
      const all = METHODS.filter((method) => method !== 'OPTIONS' && method !== 'CONNECT')
      for (const method of all)
        if (!app.supportedMethods.includes(method)) app.addHttpMethod(method)
      for (const [path, methods] of [...allowed]) {
        const allow = [...methods].join(', ')
        app.route({
          method: all.filter((method) => !methods.has(method)) as HTTPMethods[],
          url: path.slice(app.prefix.length),
          schema: { hide: true },
          handler: (_request, reply) => {
            reply.header('allow', allow)
            throw new AppError('method_not_allowed')
          },
        })
      }
    },
  }
}
