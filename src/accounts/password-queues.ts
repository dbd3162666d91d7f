import type { Hasher } from './argon.ts'
import { createPasswords } from './password.ts'

/**
 * Creates a separate hashing queue for link passwords, registrations, sign-ins, and passwords that
 * accounts set. No queue can delay the others. All use the same hasher.
 */
export function createPasswordQueues(hasher: Hasher) {
  return {
    visits: createPasswords({ hasher }),
    registrations: createPasswords({ hasher, maxRunning: 1 }),
    sessions: createPasswords({ hasher }),
    accounts: createPasswords({ hasher, maxWaiting: 1000, maxWaitingPerKey: 200 }),
  }
}
