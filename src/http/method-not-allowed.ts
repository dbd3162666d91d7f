import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import createRouter from 'find-my-way'
import { AppError } from '../errors.ts'

/** Importing `node:http` would evaluate all its exports, including the WebSocket client. */
const { METHODS } = process.getBuiltinModule('node:http')

/** Excludes OPTIONS, which CORS handles, and CONNECT, which never reaches a route. */
const guardedMethods = METHODS.filter((method) => method !== 'OPTIONS' && method !== 'CONNECT')

/** Rejects all methods on `url` except OPTIONS and the `allowed` ones with 405 and `Allow`. */
export function rejectOtherMethods(app: FastifyInstance, url: string, allowed: string[]): void {
  for (const method of guardedMethods)
    if (!app.supportedMethods.includes(method)) app.addHttpMethod(method)
  const others = guardedMethods.filter((method) => !allowed.includes(method))
  rejectMethods(app, url, { others, allowed })
}

export type MethodGuard = ReturnType<typeof createMethodGuard>

/**
 * Rejects methods that a path of the plugin does not support with 405 and `Allow`. The caller sets
 * `rejectUnmatched` as the not-found handler and calls `addRejectingRoutes` after the last route.
 * The latter adds routes only for methods that other paths support, because a route for every
 * method and path would add 30 ms to startup.
 */
export function createMethodGuard(app: FastifyInstance) {
  const { maxParamLength } = app.initialConfig.routerOptions ?? {}
  const pathRouter = createRouter({
    ...(maxParamLength && { maxParamLength }),
    onMaxParamLength: () => {},
  })
  const methodsByPath = new Map<string, Set<string>>()
  app.addHook('onRoute', ({ url, method, path }) => {
    if (url.includes('*') && method === 'OPTIONS') return
    const methods = methodsByPath.get(path) ?? new Set()
    for (const allowedMethod of [method].flat()) methods.add(allowedMethod)
    methodsByPath.set(path, methods)
  })
  return {
    addRejectingRoutes(): void {
      const usedMethods = new Set([...methodsByPath.values()].flatMap((methods) => [...methods]))
      for (const [path, methods] of [...methodsByPath]) {
        // The set is copied, because the routes that are registered below add to it.
        const allowedMethods = [...methods]
        pathRouter.on('GET', path, () => {}, allowedMethods)
        // Without these routes, a route such as `/url/:id` would match `/url/add`.
        const others = [...usedMethods.difference(methods)]
        const url = path.slice(app.prefix.length)
        if (others.length > 0) rejectMethods(app, url, { others, allowed: allowedMethods })
      }
    },

    /**
     * Rejects a request if its path supports other methods.
     *
     * @throws AppError `method_not_allowed`
     */
    rejectUnsupported({ method, url }: FastifyRequest, reply: FastifyReply): void {
      const methods: string[] | undefined = pathRouter.find('GET', url)?.store
      if (methods && !methods.includes(method)) rejectMethod(reply, methods)
    },

    /** @throws AppError `method_not_allowed`, `not_found`, `uri_too_long` */
    rejectUnmatched(request: FastifyRequest, reply: FastifyReply): never {
      const match = pathRouter.find('GET', request.url)
      if (!match) throw new AppError('not_found')
      // The store is missing if the router rejected a parameter that is too long.
      if (!match.store) throw new AppError('uri_too_long')
      return rejectMethod(reply, match.store)
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
    handler: (_request, reply) => rejectMethod(reply, allowed),
  })
}

/** @throws AppError `method_not_allowed` */
export function rejectMethod(reply: FastifyReply, allowed: string[]): never {
  reply.header('allow', allowed.join(', '))
  throw new AppError('method_not_allowed')
}
