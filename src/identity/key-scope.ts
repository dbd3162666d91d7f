import { AppError, invalid } from '../errors.ts'
import type { KeyDomain } from '../scope.ts'

/** The scopes of an API key, most powerful first. */
export const SCOPES = ['full', 'links', 'create', 'read'] as const

export type KeyScope = (typeof SCOPES)[number]

/**
 * The permissions of a key: the calls that its scope allows. If the key is bound to a domain, they
 * are limited to links on that domain.
 */
export type KeyRights = { scope: KeyScope; domain: KeyDomain | null }

/** The permissions that a call requires of the key. */
export type CallAccess = {
  /** `any` for calls allowed with every valid key. */
  scope: KeyScope | 'any'
  /**
   * Whether keys bound to a domain may make the call. If so, the call must limit its results to
   * links on that domain.
   */
  boundKeys?: boolean
}

/** The required scopes that each scope satisfies. */
const SATISFIED_SCOPES: Readonly<Record<KeyScope, readonly CallAccess['scope'][]>> = {
  full: ['any', 'read', 'create', 'links', 'full'],
  links: ['any', 'read', 'create', 'links'],
  create: ['any', 'create'],
  read: ['any', 'read'],
}

/** Returns whether a key's scope allows a call that requires another scope. */
export function isScopeSufficient(scope: KeyScope, required: CallAccess['scope']): boolean {
  return SATISFIED_SCOPES[scope].includes(required)
}

/** Throws AppError `scope_too_narrow` or `key_bound` if the key may not make the call. */
export function requireAccess(key: KeyRights, { scope, boundKeys = false }: CallAccess): void {
  if (!isScopeSufficient(key.scope, scope)) {
    const args = { scope: key.scope, needed: scope }
    throw new AppError('scope_too_narrow', { text: 'rejections.key_scope', args })
  }
  if (key.domain && !boundKeys)
    throw createBoundKeyError(key.domain, 'rejections.key_bound_everywhere')
}

/** Describes the permissions that a call requires, for the API reference. */
export function describeAccess({ scope, boundKeys = false }: CallAccess): string {
  return `Scope: ${scope}.${boundKeys ? ' Open to keys bound to a domain.' : ''}`
}

/** Returns the error for a request outside of a bound key's domain. */
export function createBoundKeyError(
  { host }: KeyDomain,
  text: `rejections.key_bound_${'creates' | 'moves' | 'everywhere'}`,
): AppError {
  return new AppError('key_bound', { text, args: { host } })
}

/** Returns the scope with this name. Throws AppError `invalid_input` naming `scope`. */
export function checkScope(scope: string): KeyScope {
  const knownScope = SCOPES.find((each) => each === scope)
  if (!knownScope) throw invalid('scope', 'one_of', { choices: SCOPES.join(', ') })
  return knownScope
}
