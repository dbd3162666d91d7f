import { AsyncLocalStorage } from 'node:async_hooks'
import { readFileSync } from 'node:fs'
import { html, type SafeHtml } from '@remix-run/html-template'
import { IntlMessageFormat } from 'intl-messageformat'

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

type Values = Readonly<Record<string, string | number>>
type HtmlValues = Readonly<Record<string, string | number | SafeHtml>>
type Catalog = Readonly<Record<TextKey, string>>

/** The language of a request. It can change once the user is identified. */
export type Locale = { language: UserLanguage }

const catalogs = Object.fromEntries(
  Object.keys(LANGUAGES).map((language) => [language, readCatalog(language)]),
) as Record<UserLanguage, Catalog>
const formats = new Map<string, IntlMessageFormat>()
const storage = new AsyncLocalStorage<Locale>()

/** The elements that texts may contain. */
const TAGS = { b: (chunks: (string | SafeHtml)[]) => html`<b>${chunks}</b>` }

/**
 * Returns a text in the language of the current request, or in English outside of requests. Texts
 * are ICU messages, and `values` are their arguments.
 */
export function t(key: TextKey, values?: Values): string {
  return translate(getLanguage(), key, values)
}

/** Returns a text like `t`, as markup. Values may be markup, and everything else is escaped. */
export function tHtml(key: TextKey, values: HtmlValues = {}): SafeHtml {
  const parts = formatOf(getLanguage(), key).format<SafeHtml>({ ...TAGS, ...values })
  return html`${parts}`
}

/** Returns a text in a language. */
export function translate(language: UserLanguage, key: TextKey, values?: Values): string {
  return values === undefined
    ? catalogs[language][key]
    : String(formatOf(language, key).format(values))
}

/** Returns the text with this name in a group, or undefined. The name may be user input. */
export function findText(group: string, name: string): string | undefined {
  const key = `${group}.${name}`
  return Object.hasOwn(catalogs.en, key) ? t(key as TextKey) : undefined
}

/** Returns all texts of a group by their names in it, such as the choices of a field. */
export function tAll<Group extends string>(group: Group): Record<TextsIn<Group>, string> {
  return readGroup(group)()
}

/** Returns the language of the page that is being rendered. English outside of requests. */
export function getLanguage(): UserLanguage {
  return storage.getStore()?.language ?? 'en'
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

const groups = new Map<string, () => Record<string, string>>()

function readGroup(group: string): () => Record<string, string> {
  const known = groups.get(group)
  if (known) return known
  const start = `${group}.`
  const read = memoizePerLanguage((language) =>
    Object.fromEntries(
      Object.entries(catalogs[language]).flatMap(([key, text]) =>
        key.startsWith(start) ? [[key.slice(start.length), text]] : [],
      ),
    ),
  )
  groups.set(group, read)
  return read
}

/** Returns the compiled message. Compiling one takes as long as formatting ten. */
function formatOf(language: UserLanguage, key: TextKey): IntlMessageFormat {
  const name = `${language} ${key}`
  const format = formats.get(name) ?? new IntlMessageFormat(catalogs[language][key], language)
  formats.set(name, format)
  return format
}

function readCatalog(language: string): Catalog {
  return JSON.parse(readFileSync(new URL(`../locales/${language}.json`, import.meta.url), 'utf8'))
}
