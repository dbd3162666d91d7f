import type { Hasher } from './argon.ts'
import { createPasswords } from './password.ts'

/**
 * Creates one queue per purpose of hashing, all with the same hasher: guesses of link passwords,
 * registrations, sign-ins, and passwords set by accounts. No queue can delay the others.
 */
export function createPasswordQueues(hasher: Hasher) {
  return {
    visits: createPasswords({ hasher }),
    registrations: createPasswords({ hasher, maxRunning: 1 }),
    sessions: createPasswords({ hasher }),
    own: createPasswords({ hasher, maxWaiting: 1000, maxWaitingPerKey: 200 }),
  }
}
