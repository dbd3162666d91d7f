import type { Hasher } from './argon.ts'
import { createPasswords } from './password.ts'

/**
 * One queue for each reason to hash a password, all with one hasher: visitors guess passwords, strangers
 * register, people sign in, and accounts set passwords of their own. None of them can hold up the others.
 */
export function createPasswordQueues(hasher: Hasher) {
  return {
    visits: createPasswords({ hasher }),
    registrations: createPasswords({ hasher, maxRunning: 1 }),
    sessions: createPasswords({ hasher }),
    own: createPasswords({ hasher, maxWaiting: 1000, maxWaitingPerKey: 200 }),
  }
}
