import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import createRouter from 'find-my-way'
import { AppError } from '../errors.ts'

/** Importing `node:http` would evaluate all its exports, including the WebSocket client. */
const { METHODS } = process.getBuiltinModule('node:http')

/** CORS handles OPTIONS, and CONNECT never reaches a route. */
const answered = METHODS.filter((method) => method !== 'OPTIONS' && method !== 'CONNECT')

/** Responds to all methods except the `allowed` ones on `url` with 405 and `Allow`. */
export function rejectOtherMethods(app: FastifyInstance, url: string, allowed: string[]): void {
  for (const method of answered)
    if (!app.supportedMethods.includes(method)) app.addHttpMethod(method)
  const others = answered.filter((method) => !allowed.includes(method))
  rejectMethods(app, url, { others, allowed })
}

/**
 * Responds to all other methods on the plugin's routes with 405 and `Allow`: through `unrouted`, to
 * be set as the plugin's not-found handler, and through routes for methods used on other paths. One
 * route per method and path would be 2,000 routes and add 30 ms to startup. Call `finish` after the
 * last route.
 */
export function createMethodGuard(app: FastifyInstance) {
  const { maxParamLength } = app.initialConfig.routerOptions ?? {}
  const paths = createRouter({
    ...(maxParamLength && { maxParamLength }),
    onMaxParamLength: () => {},
  })
  const allowed = new Map<string, Set<string>>()
  app.addHook('onRoute', ({ url, method, path }) => {
    if (url.includes('*') && method === 'OPTIONS') return
    const methods = allowed.get(path) ?? new Set()
    for (const each of [method].flat()) methods.add(each)
    allowed.set(path, methods)
  })
  return {
    finish(): void {
      const used = new Set([...allowed.values()].flatMap((methods) => [...methods]))
      for (const [path, methods] of [...allowed]) {
        // A copy, because registering routes below adds to the original.
        const own = [...methods]
        paths.on('GET', path, () => {}, own)
        // Otherwise a route such as `/url/:id` would match `/url/add`.
        const others = [...used.difference(methods)]
        const url = path.slice(app.prefix.length)
        if (others.length > 0) rejectMethods(app, url, { others, allowed: own })
      }
    },

    unrouted(request: FastifyRequest, reply: FastifyReply): never {
      const found = paths.find('GET', request.url)
      if (!found) throw new AppError('not_found')
      // Without a store, the router rejected a parameter that is too long.
      if (!found.store) throw new AppError('uri_too_long')
      return refuse(reply, found.store)
    },
  }
}

function rejectMethods(
  app: FastifyInstance,
  url: string,
  { others, allowed }: { others: string[]; allowed: string[] },
): void {
  app.route({
    method: others as HTTPMethods[],
    url,
    schema: { hide: true },
    config: { access: { scope: 'any', boundKeys: true } },
    handler: (_request, reply) => refuse(reply, allowed),
  })
}

function refuse(reply: FastifyReply, allowed: string[]): never {
  reply.header('allow', allowed.join(', '))
  throw new AppError('method_not_allowed')
}
