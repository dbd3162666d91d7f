import { hash, verify } from 'argon2'

/** OWASP's first recommendation for argon2id: 19 MiB, two passes, one lane. */
const OPTIONS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const

/**
 * A hash that no password is known for, made with the same options: to check against it takes as long as
 * against that of an account, so that the time of an answer does not tell which accounts there are.
 */
export const DECOY_HASH =
  '$argon2id$v=19$m=19456,p=1,t=2$jCkZpvhWJW88kdh0Tac9kA$3NTBhdtG9m1WSyaHLBWgygjZ7U4TUanFsdjpjvwXNWg'

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
  verify: (hashed, password) =>
    isBcrypt(hashed) ? compareBcrypt(hashed, password) : verify(hashed, password),
}

/** Whether a hash is one that a link brought along from another service; none is made here. */
export function isBcrypt(hashed: string): boolean {
  return hashed.startsWith('$2')
}

async function compareBcrypt(hashed: string, password: string): Promise<boolean> {
  const { compare } = await import('bcryptjs')
  return compare(password, hashed)
}
