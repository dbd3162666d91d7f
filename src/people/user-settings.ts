import { invalid } from '../errors.ts'
import { findTimeZone } from '../time-zone.ts'

/** The languages of the console and of mails, each by its own name. */
export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const

export type UserLanguage = keyof typeof LANGUAGES

/** How a user reads pages and mails. */
export type UserSettings = { language: UserLanguage; timeZone: string }

/** Returns a stored language, or English if this version does not have it. */
export function readLanguage(stored: string): UserLanguage {
  return Object.hasOwn(LANGUAGES, stored) ? (stored as UserLanguage) : 'en'
}

/** @throws AppError `invalid_input` naming `language` */
export function checkLanguage(given: string): UserLanguage {
  if (Object.hasOwn(LANGUAGES, given)) return given as UserLanguage
  throw invalid('language', `must be one of ${Object.keys(LANGUAGES).join(', ')}`)
}

/** @throws AppError `invalid_input` naming `timeZone` */
export function checkTimeZone(given: string): string {
  const zone = findTimeZone(given.trim())
  if (zone) return zone
  throw invalid('timeZone', 'must be a time zone, such as Europe/Berlin')
}
