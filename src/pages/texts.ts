import type { SafeHtml } from '@remix-run/html-template'
import { type HtmlValues, readCatalogs, type Values } from '../messages.ts'
import { matchLanguage } from '../visitors/language.ts'

/** The languages of visitor pages. The first one is the default. `zh` is simplified Chinese. */
export const languages = [
  'en',
  'de',
  'fr',
  'es',
  'it',
  'pt',
  'nl',
  'pl',
  'tr',
  'ja',
  'zh',
  'ar',
] as const

export type Language = (typeof languages)[number]

/** The context for rendering visitor pages. */
export type PageContext = { nonce: string; language: Language }

/** The name of a text on visitors' pages: its subject and what it says, such as `password.title`. */
export type VisitorTextKey = keyof typeof import('../../locales/visitors/en.json')

const catalogs = readCatalogs<Language, VisitorTextKey>('visitors', languages)

/** Returns a text of visitors' pages in a language. `values` are its arguments. */
export function visitorText(language: Language, key: VisitorTextKey, values?: Values): string {
  return catalogs.format(language, key, values)
}

/** Returns a text of visitors' pages as markup. Values may be markup, and everything else is escaped. */
export function visitorHtml(
  language: Language,
  key: VisitorTextKey,
  values?: HtmlValues,
): SafeHtml {
  return catalogs.formatHtml(language, key, values)
}

/** Returns the supported language that `Accept-Language` prefers, or English. */
export function chooseLanguage(acceptLanguage: string | undefined): Language {
  return languages[matchLanguage(languages, acceptLanguage)] ?? 'en'
}

/** Returns the value of an element's `lang` attribute (BCP 47). */
export function languageTag(language: Language): string {
  return language === 'zh' ? 'zh-Hans' : language
}

/** Returns the direction in which the language is written. */
export function getDirection(language: Language): 'ltr' | 'rtl' {
  return language === 'ar' ? 'rtl' : 'ltr'
}
