import type { FastifyInstance, FastifyRequest } from 'fastify'
import { AppError } from '../../../errors.ts'
import { includesRole, type Role } from '../../../people/user.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The least role that a route of the console takes. */
    role?: Role
  }
}

type Rule = readonly [method: 'GET' | 'POST' | 'any', path: RegExp, role: Role]

/**
 * The least role for a page or form of the console. The first rule that fits a path, or the URL of a route,
 * holds; the last two make every page that no other rule names one to read, and every form one to edit.
 */
const RULES: readonly Rule[] = [
  ['any', /^\/console\/(?:keys|members)(?:\/|$)/, 'owner'],
  ['POST', /^\/console\/account\/delete$/, 'owner'],
  // These are not there for anybody but admins, which a hook of their own sees to.
  ['any', /^\/console\/operator(?:\/|$)/, 'viewer'],
  // Of themselves, people may change everything.
  ['POST', /^\/console\/(?:account\/|accounts\/|settings$|theme$|sign-out$)/, 'viewer'],
  // An export has hashes of link passwords, and a webhook its secret.
  ['GET', /^\/console\/account\/links\./, 'editor'],
  ['any', /^\/console\/(?:import|webhooks)(?:\/|$)/, 'editor'],
  ['GET', /\/(?:new|edit|delete)$/, 'editor'],
  ['POST', /^/, 'editor'],
  ['GET', /^/, 'viewer'],
]

/** The least role that may open or send what is at a path. */
export function requiredRole(method: string, path: string): Role {
  const kind = method === 'POST' ? 'POST' : 'GET'
  const rule = RULES.find(
    ([of, pattern]) => (of === 'any' || of === kind) && pattern.test(path.replace(/(.)\/$/, '$1')),
  )
  if (!rule) throw new Error(`no role is declared for ${method} ${path}`)
  return rule[2]
}

/** Declares the role of each route that is registered from now on. */
export function declareRoles(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    const [method = 'GET'] = [route.method].flat()
    route.config = { ...route.config, role: requiredRole(method, route.url) }
  })
}

/** Throws AppError `role_too_low` for a member whose role the route does not take. */
export function requireRole({ session, routeOptions }: FastifyRequest): void {
  const { role } = routeOptions.config
  if (!role || !includesRole(session.role, role)) throw new AppError('role_too_low')
}
