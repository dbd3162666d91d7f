import type { FastifyInstance, FastifyRequest } from 'fastify'
import { AppError } from '../../../errors.ts'
import { includesRole, type Role } from '../../../identity/user.ts'
import { pageRoute } from '../../html/page-route.ts'

type Method = 'GET' | 'POST'
type Entry = { segments: readonly string[]; role: Role }

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The minimum role for a console route. */
    role?: Role
  }
  interface FastifyInstance {
    /** Returns the minimum role to open or submit a path. Undefined if it needs no session. */
    findRole(method: Method, path: string): Role | undefined
  }
}

/** Returns the route options of a page for members with at least this role. */
export function pageFor(role: Role) {
  return { ...pageRoute, config: { role } }
}

/** Returns the route options of a form that members with at least this role may submit. */
export function formFor(role: Role) {
  return { schema: { hide: true }, config: { role } }
}

/**
 * Requires a role for every route registered after this call. The same table decides who may send a
 * request, and which links and forms a page has.
 */
export function declareRoles(app: FastifyInstance): void {
  const entries: Record<Method, Entry[]> = { GET: [], POST: [] }
  app.addHook('onRoute', ({ method, url, config }) => {
    const role = config?.role
    if (!role) throw new Error(`no role is declared for ${method} ${url}`)
    const segments = split(url)
    for (const each of [method].flat())
      if (each !== 'HEAD') entries[toMethod(each)].push({ segments, role })
  })
  app.decorate('findRole', (method: Method, path: string) => {
    const segments = split(path)
    const matches = entries[method].filter((entry) => matchesPath(entry, segments))
    // `/links/new` is not the page of a link with the id `new`.
    return matches.sort((a, b) => countParameters(a) - countParameters(b)).at(0)?.role
  })
}

/** Throws AppError `role_too_low` if the member's role is below the route's minimum. */
export function requireRole({ session, routeOptions }: FastifyRequest): void {
  const { role } = routeOptions.config
  if (!role || !includesRole(session.role, role)) throw new AppError('role_too_low')
}

function toMethod(method: string): Method {
  if (method === 'GET' || method === 'POST') return method
  throw new Error(`console routes do not use ${method}`)
}

function split(path: string): string[] {
  return path
    .replace(/[?#].*$/, '')
    .split('/')
    .filter(Boolean)
}

function matchesPath({ segments }: Entry, path: readonly string[]): boolean {
  return (
    segments.length === path.length &&
    segments.every((segment, index) => segment.startsWith(':') || segment === path[index])
  )
}

function countParameters({ segments }: Entry): number {
  return segments.filter((segment) => segment.startsWith(':')).length
}
