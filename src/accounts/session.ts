import { createHash, randomBytes } from 'node:crypto'
import type { Role, User } from '../people/user.ts'
import type { UserSettings } from '../people/user-settings.ts'
import type { Account } from './account.ts'

/** A browser that is signed in: by whom, the account they work in, and their role in it. */
export type Session = { id: number; user: SessionUser; account: Account; role: Role }

export type SessionUser = User & UserSettings

/** A session as its owner sees it. */
export type ListedSession = {
  id: number
  /** The browser and system that it was begun with, where they are known. */
  browser: string | null
  createdAt: Date
  lastUsedAt: Date
}

const DAY = 86_400_000
/** A session ends when it was not used for so long, and after so long in any case: milliseconds. */
export const UNUSED_FOR = 30 * DAY
export const LONGEST = 90 * DAY
/** Sessions that a user may have; a further one takes the place of the one unused for longest. */
export const SESSIONS_PER_USER = 20
/** The last use is written down at most once in so many milliseconds, so that a page is not a write. */
export const USE_EVERY = 60_000

/** A new session's token: 32 random bytes, 43 characters. */
export function generateToken(): string {
  return randomBytes(32).toString('base64url')
}

/** The SHA-256 of a token. It alone is stored: a token has too much entropy to be guessed from it. */
export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

/** Whether `token` can be one of ours at all. */
export function isWellFormedToken(token: string): boolean {
  return /^[A-Za-z0-9_-]{43}$/.test(token)
}

/** The moments after which a session that still lives at `now` was used and begun. */
export function livingSince(now: Date): { used: Date; begun: Date } {
  return {
    used: new Date(now.getTime() - UNUSED_FOR),
    begun: new Date(now.getTime() - LONGEST),
  }
}
