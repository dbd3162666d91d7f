import { createKey } from '../../src/identity/key.service.ts'
import { type KeyScope, SCOPES } from '../../src/identity/key-scope.ts'
import { scopeOf } from '../../src/scope.ts'
import type { TestApp } from './app.ts'
import type { Owner } from './make.ts'

export type ScopedKey = Owner & { scope: KeyScope }

/** Creates an API key with this scope for an owner's account, optionally for one domain only. */
export async function createScopedKey(
  { services }: TestApp,
  { account }: Owner,
  scope: KeyScope,
  domain?: string,
): Promise<ScopedKey> {
  const { key } = await createKey(scopeOf(services, account.id), { scope, domain })
  return { account, key, scope, headers: { authorization: `Bearer ${key}` } }
}

/** Creates a key of each scope. */
export function createKeyOfEachScope(
  app: TestApp,
  owner: Owner,
  domain?: string,
): Promise<ScopedKey[]> {
  return Promise.all(SCOPES.map((scope) => createScopedKey(app, owner, scope, domain)))
}
