import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { CallAccess } from '../../accounts/key-scope.ts'

/** Fails the start for a route that does not declare in its `config` what it requires of the key. */
export function requireDeclaredAccess(app: FastifyInstance): void {
  app.addHook('onRoute', ({ method, path, config }) => {
    if (!config?.access) throw new Error(`${method} ${path} declares no config.access`)
  })
}

/** What the route of a request requires; undefined where there is no route. */
export function routeAccess({ routeOptions }: FastifyRequest): CallAccess | undefined {
  return routeOptions.config.access
}
