import { createHash, randomBytes } from 'node:crypto'
import type { Account } from './account.ts'
import type { Role, User, UserSettings } from './user.ts'

/** A signed-in browser: its user, the account they work in, and their role. */
export type Session = {
  id: number
  user: SessionUser
  account: Account
  role: Role
  /** When the user signed in. */
  startedAt: Date
}

export type SessionUser = User &
  UserSettings & {
    admin: boolean
    /** Whether the user has a password and password sign-in is enabled. */
    hasPassword: boolean
  }

/** A session in the user's list of sessions. */
export type ListedSession = {
  id: number
  /** The browser and operating system, if known. */
  browser: string | null
  createdAt: Date
  lastUsedAt: Date
}

const DAY_MS = 86_400_000
/** Milliseconds without use after which a session ends. */
const IDLE_TIMEOUT_MS = 30 * DAY_MS
/** Milliseconds after which any session ends. */
export const MAX_SESSION_MS = 90 * DAY_MS
/** The maximum number of milliseconds between the password and the second factor. */
export const SECOND_STEP_MS = 600_000
/** The maximum number of sessions per user. A new one then replaces the least recently used. */
export const SESSIONS_PER_USER = 20
/**
 * Minimum milliseconds between two updates of the last use, so that not every page view writes to
 * the database.
 */
export const USE_UPDATE_MS = 60_000

/** Generates a session token: 32 random bytes, 43 characters. */
export function generateToken(): string {
  return randomBytes(32).toString('base64url')
}

/**
 * Returns the SHA-256 of a token, which is the only form stored. A token has too much entropy to be
 * guessed from its hash.
 */
export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

/** Returns whether `token` has the format of a session token. */
export function isWellFormedToken(token: string): boolean {
  return /^[A-Za-z0-9_-]{43}$/.test(token)
}

/** Returns the cutoffs for valid sessions: the earliest last use and the earliest start. */
export function getSessionCutoffs(now: Date): { minLastUsedAt: Date; minCreatedAt: Date } {
  return {
    minLastUsedAt: new Date(now.getTime() - IDLE_TIMEOUT_MS),
    minCreatedAt: new Date(now.getTime() - MAX_SESSION_MS),
  }
}
