import { createKey } from '../../src/identity/key.service.ts'
import { SCOPES, type Scope } from '../../src/identity/key-scope.ts'
import type { TestApp } from './app.ts'
import type { Owner } from './make.ts'

export type ScopedKey = Owner & { scope: Scope }

/** Creates an API key with this scope for an owner's account, optionally for one domain only. */
export async function createScopedKey(
  { services }: TestApp,
  { account }: Owner,
  scope: Scope,
  domain?: string,
): Promise<ScopedKey> {
  const { key } = await createKey(services, services.db, account.id, { scope, domain })
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
