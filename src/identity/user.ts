import { invalid } from '../errors.ts'
import { LANGUAGES, type UserLanguage } from '../texts.ts'
import { findTimeZone } from '../time-zone.ts'

/** A user's settings for reading pages and emails. */
export type UserSettings = { language: UserLanguage; timeZone: string }

/**
 * A member's role. Owners may do everything. Editors may do everything except manage members, keys
 * and the account. Viewers may only read.
 */
export const ROLES = ['owner', 'editor', 'viewer'] as const

export type Role = (typeof ROLES)[number]

/** A person who can sign in. */
export type User = { id: number; email: string }

export type Member = User & { role: Role; since: Date; admin: boolean }

/** Returns whether a role includes the permissions of another one. */
export function includesRole(role: Role, required: Role): boolean {
  return ROLES.indexOf(role) <= ROLES.indexOf(required)
}

/** Returns the role with this name, if there is one. */
export function readRole(text: string): Role | undefined {
  return ROLES.find((role) => role === text)
}

/** Returns the role with this name. @throws AppError `invalid_input` naming `role` */
export function checkRole(text: string): Role {
  const role = readRole(text)
  if (!role) throw invalid('role', 'role')
  return role
}

/** Returns a stored language, or English if this version does not support it. */
export function readLanguage(stored: string): UserLanguage {
  return Object.hasOwn(LANGUAGES, stored) ? (stored as UserLanguage) : 'en'
}

/** Returns a language if it is supported. @throws AppError `invalid_input` naming `language` */
export function checkLanguage(input: string): UserLanguage {
  if (Object.hasOwn(LANGUAGES, input)) return input as UserLanguage
  throw invalid('language', 'one_of', { choices: Object.keys(LANGUAGES).join(', ') })
}

/** Returns the canonical name of a time zone. @throws AppError `invalid_input` naming `timeZone` */
export function checkTimeZone(input: string): string {
  const zone = findTimeZone(input.trim())
  if (zone) return zone
  throw invalid('timeZone', 'time_zone')
}
