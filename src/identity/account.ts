import { invalid } from '../errors.ts'
import { foldCase, lowercaseAscii } from '../text.ts'

export const PLANS = ['free', 'pro'] as const

export type Plan = (typeof PLANS)[number]

export type Account = {
  id: number
  email: string
  username: string
  plan: Plan
  /** Null if the plan does not expire. */
  expiresAt: Date | null
  suspended: boolean
  registeredAt: Date
}

export type NewAccount = {
  email: string
  username: string
  password: string
  plan?: Plan
  /** The owner's language. Defaults to English. */
  language?: string
  /** The owner's time zone. Defaults to UTC. */
  timeZone?: string
  /** Whether the owner has verified the email address. */
  emailVerified?: boolean
}

/**
 * A pragmatic check: one @, a host with a dot, no characters that could break out of a header.
 * Maximum lengths follow RFC 5321.
 */
const EMAIL =
  /^[^\s@<>()[\],;:\\"\p{Cc}]{1,64}@[^\s@<>()[\],;:\\"\p{Cc}]+\.[^\s@<>()[\],;:\\"\p{Cc}]+$/u
const USERNAME = /^[A-Za-z0-9][A-Za-z0-9_-]{1,31}$/

/**
 * Returns the email address without surrounding spaces if it is valid. If it has uppercase letters
 * outside of ASCII, returns all of it in lowercase, because the database ignores only the case of
 * ASCII letters: `equalsIgnoringCase`.
 *
 * @throws AppError `invalid_input` naming `email`
 */
export function checkEmail(email: string): string {
  const trimmed = email.trim()
  if (trimmed.length > 254 || !trimmed.isWellFormed() || !EMAIL.test(trimmed)) {
    throw invalid('email', 'email_valid')
  }
  const folded = foldCase(trimmed)
  return lowercaseAscii(trimmed) === folded ? trimmed : folded
}

/**
 * Returns the username if it is valid.
 *
 * @throws AppError `invalid_input` naming `username`
 */
export function checkUsername(username: string): string {
  if (!USERNAME.test(username)) {
    throw invalid('username', 'username')
  }
  return username
}

/**
 * Returns the plan with this name.
 *
 * @throws AppError `invalid_input` naming `plan`
 */
export function checkPlan(plan: string): Plan {
  const knownPlan = PLANS.find((each) => each === plan)
  if (!knownPlan) throw invalid('plan', 'one_of', { choices: PLANS.join(', ') })
  return knownPlan
}

/**
 * Returns the password if it is valid. The maximum length keeps hashing fast.
 *
 * @throws AppError `invalid_input` naming `password`
 */
export function checkPassword(password: string): string {
  const length = [...password].length
  if (length < 8 || length > 200 || !password.isWellFormed()) {
    throw invalid('password', 'password_length')
  }
  return password
}
