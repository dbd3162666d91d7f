import type { Hasher } from '../accounts/argon.ts'
import { createPasswords } from '../accounts/password.ts'

/**
 * A queue of passwords to hash for each of those who wait for one, all with one hasher. Visitors guess
 * passwords, strangers register, people sign in, clients of the API set passwords: none of them must be
 * able to hold up the others.
 */
export function createPasswordQueues(hasher: Hasher) {
  return {
    visits: createPasswords({ hasher }),
    registrations: createPasswords({ hasher, maxRunning: 1 }),
    sessions: createPasswords({ hasher }),
    own: createPasswords({ hasher, maxWaiting: 1000, maxWaitingPerKey: 200 }),
  }
}
