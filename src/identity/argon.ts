import { hash, verify } from 'argon2'

/** OWASP's first recommendation for argon2id: 19 MiB, two passes, one lane. */
const OPTIONS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const

/**
 * The hash of a password that is not used, with the same options. Verifying against it takes as
 * long as against a real hash, so response times do not reveal which accounts exist.
 */
export const DECOY_HASH =
  '$argon2id$v=19$m=19456,p=1,t=2$jCkZpvhWJW88kdh0Tac9kA$3NTBhdtG9m1WSyaHLBWgygjZ7U4TUanFsdjpjvwXNWg'

/** Hashes passwords in this process or a separate one. */
export type Hasher = {
  /** Returns the argon2id hash of `password`. */
  hash(password: string): Promise<string>
  /** Returns whether `password` matches `hashed`. */
  verify(hashed: string, password: string): Promise<boolean>
}

/** Hashes on the thread pool of this process. */
export const argon: Hasher = {
  hash: (password) => hash(password, OPTIONS),
  verify: (hashed, password) =>
    isBcrypt(hashed) ? compareBcrypt(hashed, password) : verify(hashed, password),
}

/**
 * Returns whether a hash is in bcrypt format. Such hashes are only imported with links from other
 * services, never created here.
 */
export function isBcrypt(hashed: string): boolean {
  return hashed.startsWith('$2')
}

async function compareBcrypt(hashed: string, password: string): Promise<boolean> {
  const { compare } = await import('bcryptjs')
  return compare(password, hashed)
}
