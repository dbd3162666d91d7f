import { invalid } from '../errors.ts'
import { LANGUAGES, type UserLanguage } from '../texts.ts'
import { findTimeZone } from '../time-zone.ts'

/** A user's settings for reading pages and emails. */
export type UserSettings = { language: UserLanguage; timeZone: string }

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
