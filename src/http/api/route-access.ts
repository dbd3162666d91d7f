import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { CallAccess } from '../../accounts/key-scope.ts'

/** Makes startup fail if a route's `config` does not declare the key scope that it requires. */
export function requireDeclaredAccess(app: FastifyInstance): void {
  app.addHook('onRoute', ({ method, path, config }) => {
    if (!config?.access) throw new Error(`${method} ${path} declares no config.access`)
  })
}

/** Returns the key scope that the request's route requires, or undefined without a route. */
export function findRouteAccess({ routeOptions }: FastifyRequest): CallAccess | undefined {
  return routeOptions.config.access
}
