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
