import type { SafeHtml } from '@remix-run/html-template'
import { type HtmlValues, readCatalogs, type Values } from '../messages.ts'
import { type Language, languages } from './language.ts'

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
