import { AsyncLocalStorage } from 'node:async_hooks'
import type { SafeHtml } from '@remix-run/html-template'
import { type HtmlValues, readCatalogs, type Values } from './messages.ts'
import { DEFAULT_SITE_NAME } from './site-name.ts'

/** The languages of the console and of emails, with their own names: one catalog each in `locales/`. */
export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const

export type UserLanguage = keyof typeof LANGUAGES

/** The name of a text: its subject and what it says, such as `webhook.deliveries.title`. */
export type TextKey = keyof typeof import('../locales/en.json')

/** The names of the texts in a group, such as `title` in `webhook.deliveries`. */
export type TextsIn<Group extends string> = TextKey extends infer Key
  ? Key extends `${Group}.${infer Name}`
    ? Name
    : never
  : never

/** The language of a request, which can change once the user is identified, and the site's name. */
export type Locale = { language: UserLanguage; siteName?: string }

const catalogs = readCatalogs<UserLanguage, TextKey>('.', Object.keys(LANGUAGES) as UserLanguage[])
const groups = new Map<string, () => Record<string, string>>()
const storage = new AsyncLocalStorage<Locale>()

/**
 * Returns a text in the language of the current request, or in English outside of requests. Texts
 * are ICU messages, and `values` are their arguments.
 */
export function t(key: TextKey, values?: Values): string {
  return translate(getLanguage(), key, values)
}

/** Returns a text like `t`, as markup. Values may be markup, and everything else is escaped. */
export function tHtml(key: TextKey, values?: HtmlValues): SafeHtml {
  return catalogs.formatHtml(getLanguage(), key, values)
}

/** Returns a text in a language. */
export function translate(language: UserLanguage, key: TextKey, values?: Values): string {
  return catalogs.format(language, key, values)
}

/** Returns the text with this name in a group, or undefined. The name may be user input. */
export function findText(group: string, name: string, values?: Values): string | undefined {
  const key = `${group}.${name}`
  return isTextKey(key) ? t(key, values) : undefined
}

/** Returns whether the catalogs have a text with this name, which may come from elsewhere. */
export function isTextKey(key: string): key is TextKey {
  return Object.hasOwn(catalogs.texts.en, key)
}

/** Returns all texts of a group by their names in it, such as the choices of a field. */
export function tAll<Group extends string>(group: Group): Record<TextsIn<Group>, string> {
  return readGroup(group)()
}

/** Returns the language of the page that is being rendered. English outside of requests. */
export function getLanguage(): UserLanguage {
  return storage.getStore()?.language ?? 'en'
}

/** Returns the name of the installation. That of the software outside of requests. */
export function getSiteName(): string {
  return storage.getStore()?.siteName ?? DEFAULT_SITE_NAME
}

/** Runs a function in which texts have the language of `locale`. */
export function runWithLocale<Result>(locale: Locale, render: () => Result): Result {
  return storage.run(locale, render)
}

/** Returns a function that creates a value once per language, such as a slow formatter. */
export function memoizePerLanguage<Value>(create: (language: UserLanguage) => Value): () => Value {
  const values = new Map<UserLanguage, Value>()
  return () => {
    const language = getLanguage()
    const value = values.get(language) ?? create(language)
    values.set(language, value)
    return value
  }
}

function readGroup(group: string): () => Record<string, string> {
  const known = groups.get(group)
  if (known) return known
  const start = `${group}.`
  const read = memoizePerLanguage((language) =>
    Object.fromEntries(
      Object.entries(catalogs.texts[language]).flatMap(([key, text]) =>
        key.startsWith(start) ? [[key.slice(start.length), text]] : [],
      ),
    ),
  )
  groups.set(group, read)
  return read
}
