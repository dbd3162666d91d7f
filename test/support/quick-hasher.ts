import { hash } from 'argon2'
import { argon } from '../../src/identity/argon.ts'

/** A twentieth of the memory and time of the service's own hasher. */
const OPTIONS = { memoryCost: 1024, timeCost: 2, parallelism: 1 } as const

/**
 * Hashes in this process at low cost. A hash contains its parameters, so every hash can be
 * verified.
 */
export const quickHasher = {
  ...argon,
  hash: (password: string) => hash(password, OPTIONS),
  close() {},
}
