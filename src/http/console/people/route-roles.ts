import type { FastifyInstance, FastifyRequest } from 'fastify'
import { AppError } from '../../../errors.ts'
import { includesRole, type Role } from '../../../people/user.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The minimum role for a console route. */
    role?: Role
  }
}

type Rule = readonly [method: 'GET' | 'POST' | 'any', path: RegExp, role: Role]

/**
 * The minimum role for each page or form. The first rule that matches a path (or the URL pattern of
 * a route) applies. By default, pages require viewer and forms require editor.
 */
const RULES: readonly Rule[] = [
  ['any', /^\/console\/(?:keys|members)(?:\/|$)/, 'owner'],
  ['POST', /^\/console\/account\/delete$/, 'owner'],
  // A separate hook restricts these to admins.
  ['any', /^\/console\/operator(?:\/|$)/, 'viewer'],
  // Every user may change their own settings.
  ['POST', /^\/console\/(?:account\/|accounts\/|settings(?:\/|$)|theme$|sign-out$)/, 'viewer'],
  // An export contains hashes of link passwords, and a webhook its secret.
  ['GET', /^\/console\/account\/links\./, 'editor'],
  // Responses contain personal data of visitors.
  ['GET', /^\/console\/overlays\/[^/]+\/answers\.csv$/, 'editor'],
  ['any', /^\/console\/(?:import|webhooks)(?:\/|$)/, 'editor'],
  ['GET', /\/(?:new|edit|delete)$/, 'editor'],
  ['POST', /^/, 'editor'],
  ['GET', /^/, 'viewer'],
]

/** Returns the minimum role to open or submit a path. */
export function getRequiredRole(method: string, path: string): Role {
  const kind = method === 'POST' ? 'POST' : 'GET'
  const rule = RULES.find(
    ([ruleMethod, pattern]) =>
      (ruleMethod === 'any' || ruleMethod === kind) && pattern.test(path.replace(/(.)\/$/, '$1')),
  )
  if (!rule) throw new Error(`no role is declared for ${method} ${path}`)
  return rule[2]
}

/** Declares the role of each route registered after this call. */
export function declareRoles(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    const [method = 'GET'] = [route.method].flat()
    route.config = { ...route.config, role: getRequiredRole(method, route.url) }
  })
}

/** Throws AppError `role_too_low` if the member's role is below the route's minimum. */
export function requireRole({ session, routeOptions }: FastifyRequest): void {
  const { role } = routeOptions.config
  if (!role || !includesRole(session.role, role)) throw new AppError('role_too_low')
}
