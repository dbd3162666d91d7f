import { AppError, invalid } from '../errors.ts'

/** What an API key may do, the most powerful scope first. */
export const SCOPES = ['full', 'links', 'create', 'read'] as const

export type Scope = (typeof SCOPES)[number]

/** The branded domain that a key is bound to. */
export type KeyDomain = { id: number; host: string; origin: string }

/** What a key may do: the calls of its scope and, if it is bound to a domain, only for links there. */
export type KeyRights = { scope: Scope; domain: KeyDomain | null }

/** What a call requires of the key that makes it. */
export type CallAccess = {
  /** `any` is for calls that every valid key may make. */
  scope: Scope | 'any'
  /** Whether bound keys may make the call, which then must be limited to links on their domain. */
  boundKeys?: boolean
}

/** The calls that each scope allows, by the scope that they require. */
const ALLOWED: Readonly<Record<Scope, readonly CallAccess['scope'][]>> = {
  full: ['any', 'read', 'create', 'links', 'full'],
  links: ['any', 'read', 'create', 'links'],
  create: ['any', 'create'],
  read: ['any', 'read'],
}

/** Whether a key of this scope may make calls that require the other one. */
export function allows(scope: Scope, required: CallAccess['scope']): boolean {
  return ALLOWED[scope].includes(required)
}

/** Throws AppError `scope_too_narrow` or `key_bound` for a call that the key may not make. */
export function requireAccess(key: KeyRights, { scope, boundKeys = false }: CallAccess): void {
  if (!allows(key.scope, scope)) {
    const message = `This API key's scope is ${key.scope}; this call needs ${scope}.`
    throw new AppError('scope_too_narrow', message)
  }
  if (key.domain && !boundKeys) throw boundTo(key.domain, 'this call is not limited to one domain')
}

/** What a call requires, as the API's description says it. */
export function describeAccess({ scope, boundKeys = false }: CallAccess): string {
  return `Scope: ${scope}.${boundKeys ? ' Open to keys bound to a domain.' : ''}`
}

/** The rejection of what lies outside of a bound key's domain. */
export function boundTo({ host }: KeyDomain, reason: string): AppError {
  return new AppError('key_bound', `This API key is bound to ${host}; ${reason}.`)
}

/** The scope of that name. Throws AppError `invalid_input` naming `scope`. */
export function checkScope(scope: string): Scope {
  const known = SCOPES.find((each) => each === scope)
  if (!known) throw invalid('scope', `must be one of ${SCOPES.join(', ')}`)
  return known
}
