import { hash } from 'argon2'
import { argon } from '../../src/accounts/argon.ts'

/** A twentieth of the memory of the service's own hashes, and of the time that they take. */
const OPTIONS = { memoryCost: 1024, timeCost: 2, parallelism: 1 } as const

/** Hashes in this process, and cheaply; a hash says what it was made with, so each can be checked. */
export const quickHasher = {
  ...argon,
  hash: (password: string) => hash(password, OPTIONS),
  close() {},
}
