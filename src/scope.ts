import { type Actor, COMMANDS } from './actor.ts'
import type { AccountScope } from './db/account-rows.ts'
import type { Db } from './db/pool.ts'

export type { AccountScope }

/** The branded domain that a key is bound to. */
export type KeyDomain = { id: number; host: string; origin: string }

/**
 * Who asks, for which account, limited to which domain, by which connection: the first argument of
 * services, together with the parts of the program that they use. A service that must run in a
 * transaction takes a scope whose connection is one.
 */
export type Scope<Parts = unknown, Connection extends Db = Db> = Omit<Parts, 'db'> &
  AccountScope<Connection> & {
    /** The author of changes. */
    actor: Actor
    /** The domain to which the caller's key is bound. All other links are unknown to it. */
    domain: KeyDomain | null
  }

/** Returns the scope of a caller who may use a whole account. `actor` defaults to a command. */
export function scopeOf<Parts extends { db: Db }>(
  parts: Parts,
  accountId: number,
  actor: Actor = COMMANDS,
): Scope<Parts, Parts['db']> {
  return { ...parts, accountId, actor, domain: null } as Scope<Parts, Parts['db']>
}
