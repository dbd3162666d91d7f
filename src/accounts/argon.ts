import { hash, verify } from 'argon2'

/** OWASP's first recommendation for argon2id: 19 MiB, two passes, one lane. */
const OPTIONS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const

/** What hashes passwords: this process, or one of its own. */
export type Hasher = {
  /** The argon2id hash of `password`. */
  hash(password: string): Promise<string>
  /** Whether `password` is the one behind `hashed`. */
  verify(hashed: string, password: string): Promise<boolean>
}

/** Hashes on the threads of this process. */
export const argon: Hasher = {
  hash: (password) => hash(password, OPTIONS),
  verify: (hashed, password) => verify(hashed, password),
}
