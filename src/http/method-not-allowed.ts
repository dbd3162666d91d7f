import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import createRouter from 'find-my-way'
import { AppError } from '../errors.ts'

/** Not imported: that would ask for all that `node:http` has, and with it load its client of WebSockets. */
const { METHODS } = process.getBuiltinModule('node:http')

/** OPTIONS is answered by CORS, CONNECT never reaches a route. */
const answered = METHODS.filter((method) => method !== 'OPTIONS' && method !== 'CONNECT')

/** Has all methods but the `allowed` ones answered with 405 and `Allow` where the plugin has `url`. */
export function refuseOtherMethods(app: FastifyInstance, url: string, allowed: string[]): void {
  for (const method of answered)
    if (!app.supportedMethods.includes(method)) app.addHttpMethod(method)
  const others = answered.filter((method) => !allowed.includes(method))
  refuseMethods(app, url, { others, allowed })
}

/**
 * Answers every other method on the routes that the plugin declares with 405 and `Allow`: by `unrouted`,
 * which is to be its handler of what has no route, and by routes of methods that it has elsewhere. A
 * route for each method of each path, two thousand of them, would take 30 ms of every start. Call
 * `finish` after the last route.
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
        // A copy, for the routes below are declared as well.
        const own = [...methods]
        paths.on('GET', path, () => {}, own)
        // What has a path like `/url/:id` would take `/url/add` for one of its own.
        const others = [...used.difference(methods)]
        const url = path.slice(app.prefix.length)
        if (others.length > 0) refuseMethods(app, url, { others, allowed: own })
      }
    },

    unrouted(request: FastifyRequest, reply: FastifyReply): never {
      const found = paths.find('GET', request.url)
      if (!found) throw new AppError('not_found')
      // What it finds in place of a path with a parameter that is too long has nothing with it.
      if (!found.store) throw new AppError('uri_too_long')
      return refuse(reply, found.store)
    },
  }
}

function refuseMethods(
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
